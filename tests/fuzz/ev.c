/* A whole stream: the reader gives out every line before the end record, byte
 * for byte, or an error that says where. */
#include "evin.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct tl_evin in;
	struct tl_rec rec;
	struct tl_err err = { .line = 0 };
	enum tl_status st;
	size_t at = 0, lines = 0;
	bool gz = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;

	PROMISE(tl_evin_open(&in, fuzz_file(data, size), false, &err) ==
	    TL_OK);
	while ((st = tl_evin_next(&in, &rec, &err)) == TL_OK) {
		PROMISE(gz || (at + rec.line.n < size &&
		    memcmp(s + at, rec.line.p, rec.line.n) == 0 &&
		    s[at + rec.line.n] == '\n'));
		at += rec.line.n + 1;
		lines++;
	}
	if (st == TL_EOF)
		PROMISE(gz || (lines > 0 && at + 4 < size &&
		    memcmp(s + at, "end\t", 4) == 0 && s[size - 1] == '\n'));
	else
		PROMISE(strncmp(err.msg, in.in.name, strlen(in.in.name)) == 0);
	tl_evin_close(&in);
	return 0;
}
