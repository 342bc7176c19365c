#ifndef TL_ASCEND_H
#define TL_ASCEND_H

#include "str.h"

/* Types of tasks of Ascend devices, as msprof and torch_npu spell them. */

enum tl_ascend_type {
	TL_ASCEND_OTHER,
	TL_ASCEND_COMPUTE,  /* a unit that computes */
	TL_ASCEND_COPY,
	TL_ASCEND_SYNC,     /* events, notifications, values waited for */
	TL_ASCEND_PROFILER, /* the profiler's own */
	TL_ASCEND_EXECUTE   /* launch of a model or graph */
};

enum tl_ascend_type tl_ascend_type(struct tl_str type);

/* The type in capital letters with "_" for all that is no letter or digit,
 * into out[0..size); returns its length. "Notify Wait" is NOTIFY_WAIT. */
size_t tl_ascend_spell(char *out, size_t size, struct tl_str type);

#endif
