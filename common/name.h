#ifndef TL_NAME_H
#define TL_NAME_H

#include "str.h"

/* Short forms of the names of kernels, for people; tl-tree(1) has the rules. */

/* Names of ordinary kernels are shorter. */
#define TL_NAME_SHORT_MAX ((size_t)64)

/* Writes the short form of a name of a stream into buf, which has room for
 * s.n + 1 bytes, and returns its length, at most TL_NAME_SHORT_MAX; what has
 * not the form of a function's name is only cut. */
size_t tl_name_short(char *buf, struct tl_str s);

/* The same for a name as the linker has it, uncut; 0 if it is none. */
size_t tl_name_mangled(char *buf, struct tl_str s);

#endif
