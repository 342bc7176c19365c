#ifndef TL_WHAT_H
#define TL_WHAT_H

#include "str.h"

/* What a file is that a program was given in vain, and which program reads it:
 * "an export of Nsight Systems: tl-nsys2ev reads it". head is how it begins,
 * decompressed; path, which may be NULL, is where names of tables are looked
 * for, in the first MiB. NULL where nothing is known, or the program that asks
 * (tl_prog) is the one that reads it. For what tells databases see
 * https://www.sqlite.org/fileformat2.html section 1.3, tl-db(5) and the pages
 * of the converters. */
const char *tl_what(struct tl_str head, const char *path);

/* The same of a plain file, whose beginning is read. */
const char *tl_what_file(const char *path);

#endif
