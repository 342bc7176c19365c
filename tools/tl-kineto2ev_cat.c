#include "tl-kineto2ev.h"

#include <string.h>

/*
 * Categories by every name that writers have given them: Kineto's
 * ActivityType.cpp, its JSON output of 2020 and 2021 (capital letters), and
 * those that PyTorch and HTA add. AMD uses CUDA's names. MTIA has no kernels:
 * its command processor's events are tasks.
 */
static const struct k_cat cats[] = {
	{ "kernel", TL_KERNEL, K_ON_DEVICE, true },
	{ "Kernel", TL_KERNEL, K_ON_DEVICE, true },
	{ "gpu_memcpy", TL_MEMCPY, K_ON_DEVICE, true },
	{ "Memcpy", TL_MEMCPY, K_ON_DEVICE, true },
	{ "gpu_memset", TL_MEMSET, K_ON_DEVICE, true },
	{ "Memset", TL_MEMSET, K_ON_DEVICE, true },
	{ "cuda_sync", TL_SYNC, K_ON_DEVICE, true },
	{ "xpu_sync", TL_SYNC, K_ON_DEVICE, false },
	{ "cuda_event", TL_SYNC, K_ON_DEVICE, false },
	{ "mtia_ccp_events", TL_TASK, K_ON_DEVICE, false },
	{ "mtia_workloadd", TL_TASK, K_ON_DEVICE, false },
	{ "cuda_runtime", TL_API, K_HOST, true },
	{ "Runtime", TL_API, K_HOST, true },
	{ "cuda_driver", TL_API, K_HOST, false },
	{ "mtia_runtime", TL_API, K_HOST, false },
	{ "xpu_runtime", TL_API, K_HOST, false },
	{ "xpu_driver", TL_API, K_HOST, false },
	{ "glow_runtime", TL_API, K_HOST, false },
	{ "privateuse1_runtime", TL_API, K_HOST, false },
	{ "privateuse1_driver", TL_API, K_HOST, false },
	{ "cpu_op", TL_OP, K_HOST, true },
	{ "Operator", TL_OP, K_HOST, true },
	{ "hpu_op", TL_OP, K_HOST, false },
	{ "user_annotation", TL_RANGE, K_HOST, true },
	{ "gpu_user_annotation", TL_RANGE, K_ON_DEVICE, true },
	{ "python_function", TL_PYTHON, K_HOST, true },
	{ "cpu_instant_event", TL_MARK, K_HOST, true },
};

static const struct k_cat none = { "", TL_RANGE, K_HOST, true };
static const struct k_cat other = { "", TL_RANGE, K_HOST, false };

const struct k_cat *
k_cat_find(struct tl_str cat)
{
	if (cat.n == 0)
		return &none;
	for (size_t i = 0; i < sizeof cats / sizeof *cats; i++)
		if (cat.p[0] == cats[i].name[0] &&
		    tl_str_is(cat, cats[i].name))
			return &cats[i];
	return &other;
}

bool
k_cat_select(const char *list, uint32_t *kinds, struct tl_str *bad)
{
	uint32_t set = K_KINDS_DEFAULT;

	if (!tl_kinds_change(list, &set, NULL, NULL, bad)) {
		/* with its sign, if it has one */
		if (bad->p > list && bad->p[-1] != ',')
			*bad = (struct tl_str){ bad->p - 1, bad->n + 1 };
		return false;
	}
	*kinds = set;
	return true;
}
