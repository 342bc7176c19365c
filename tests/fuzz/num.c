/* Integers and microseconds: what is read is printed the same. */
#include "num.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_str s = { (const char *)data, size };
	char out[48];
	size_t n;
	uint64_t u;
	int64_t i, again;
	enum tl_num_us how;

	if (tl_num_str_u64(s, &u))
		PROMISE(tl_num_put_u64(out, u) == size &&
		    memcmp(out, data, size) == 0);
	if (tl_num_str_i64(s, &i))
		PROMISE(tl_num_put_i64(out, i) == size &&
		    memcmp(out, data, size) == 0);
	how = tl_num_us_ns(s, &i);
	if (how == TL_NUM_BAD || how == TL_NUM_OVERFLOW)
		return 0;
	/* a sign, microseconds, three decimals, none of them cut */
	u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	n = (size_t)snprintf(out, sizeof out, "%s%llu.%03d", i < 0 ? "-" : "",
	    (unsigned long long)(u / 1000), (int)(u % 1000));
	PROMISE(tl_num_us_ns((struct tl_str){ out, n }, &again) ==
	    TL_NUM_EXACT && again == i);
	return 0;
}
