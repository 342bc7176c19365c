#ifndef FUZZ_H
#define FUZZ_H

/* What the fuzzers' entry points share. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that the code under test must keep. */
#define PROMISE(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
			    #what); \
			abort(); \
		} \
	} while (0)

/* The input as a file, for readers that open one: its path, the same each
 * time. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
