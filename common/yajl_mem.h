#ifndef TL_YAJL_MEM_H
#define TL_YAJL_MEM_H

#include <yajl/yajl_common.h>

/* Allocation for yajl, which does not look at what an allocation gives: on
 * lack of memory the program exits 1. */
extern const yajl_alloc_funcs tl_yajl_mem;

#endif
