#ifndef TL_YAJL_MEM_H
#define TL_YAJL_MEM_H

#include <yajl/yajl_common.h>

/* Allocation for yajl, which does not look at what it is given: on lack of
 * memory the program ends (mem.h). For yajl_alloc. */
extern yajl_alloc_funcs tl_yajl_mem;

#endif
