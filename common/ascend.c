#include "ascend.h"

static char
upper(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
}

/* What a task of a type is, by how its name in capitals begins. "$" ends a
 * name that must be the whole. */
static const struct {
	const char *prefix;
	enum tl_ascend_type kind;
} kinds[] = {
	{ "AICPU", TL_ASCEND_COMPUTE }, { "AIC$", TL_ASCEND_COMPUTE },
	{ "AIV$", TL_ASCEND_COMPUTE }, { "AIV_SQE$", TL_ASCEND_COMPUTE },
	{ "AI_CORE", TL_ASCEND_COMPUTE }, { "AI_CPU", TL_ASCEND_COMPUTE },
	{ "AI_VECTOR_CORE", TL_ASCEND_COMPUTE }, { "CAPTURE_", TL_ASCEND_SYNC },
	{ "EVENT_", TL_ASCEND_SYNC }, { "KERNEL", TL_ASCEND_COMPUTE },
	{ "MEMCPY", TL_ASCEND_COPY }, { "MEM_WAIT_VALUE", TL_ASCEND_SYNC },
	{ "MEM_WRITE_VALUE", TL_ASCEND_SYNC }, { "MIX_AI", TL_ASCEND_COMPUTE },
	{ "MODEL_EXECUTE$", TL_ASCEND_EXECUTE }, { "NOTIFY", TL_ASCEND_SYNC },
	{ "PCIE_DMA", TL_ASCEND_COPY }, { "PROFILING_", TL_ASCEND_PROFILER },
	{ "SDMA", TL_ASCEND_COPY }, { "WAIT_VALUE", TL_ASCEND_SYNC },
	{ "WRITE_VALUE", TL_ASCEND_SYNC },
};

enum tl_ascend_type
tl_ascend_type(struct tl_str s)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *p = kinds[i].prefix;
		size_t j = 0;

		while (j < s.n && p[j] != '\0' && upper(s.p[j]) == p[j])
			j++;
		if (p[j] == '\0' || (p[j] == '$' && j == s.n))
			return kinds[i].kind;
	}
	return TL_ASCEND_OTHER;
}

size_t
tl_ascend_spell(char *out, size_t size, struct tl_str type)
{
	size_t n = type.n < size ? type.n : size;

	for (size_t i = 0; i < n; i++)
		out[i] = upper(type.p[i]);
	return n;
}
