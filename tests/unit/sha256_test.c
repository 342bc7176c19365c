/* sha256.h against the examples of NIST (FIPS 180-4 examples, CAVS byte
 * vectors) and, for the lengths where padding changes, against sha256sum of
 * GNU coreutils. */
#include "sha256.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void
one(const char *what, const char *text, size_t len, const char *want)
{
	char got[TL_SHA256_HEX];

	tl_sha256_hex(text, len, got);
	tap(strcmp(got, want) == 0, "%s", what);
}

static void
test_nist(void)
{
	static const struct {
		const char *what, *text, *want;
	} v[] = {
		{ "NIST: no bytes", "",
		    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		    "7852b855" },
		{ "NIST: one block", "abc",
		    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61"
		    "f20015ad" },
		{ "NIST: two blocks",
		    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd4"
		    "19db06c1" },
		{ "NIST: 896 bits", "abcdefghbcdefghicdefghijdefghijkefghijkl"
		    "fghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
		    "mnopqrstnopqrstu",
		    "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac4503"
		    "7afee9d1" },
		{ "NIST: one byte", "\xbd",
		    "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c0"
		    "8ffe732b" },
	};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		one(v[i].what, v[i].text, strlen(v[i].text), v[i].want);
}

/* n times "a". */
static const struct {
	size_t n;
	const char *want;
} letters[] = {
	{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734"
	    "318" },
	{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec67"
	    "38a" },
	{ 57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe"
	    "8c6" },
	{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2"
	    "f34" },
	{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df15466"
	    "8eb" },
	{ 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0"
	    "ae0" },
	{ 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584"
	    "dcfb" },
	{ 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904"
	    "c21c" },
	{ 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013af"
	    "b73e" },
	{ 1000000, /* NIST as well */
	    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

static void
test_letters(void)
{
	char *a = malloc(1000000);

	if (a == NULL)
		return;
	memset(a, 'a', 1000000);
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
		char what[32];

		snprintf(what, sizeof what, "%zu letters", letters[i].n);
		one(what, a, letters[i].n, letters[i].want);
	}
	free(a);
}

/* The same in pieces of every size up to 130. */
static void
test_pieces(void)
{
	char a[128];
	bool ok = true;

	memset(a, 'a', sizeof a);
	for (size_t piece = 1; piece <= 130; piece++) {
		unsigned char d[TL_SHA256_SIZE];
		char hex[TL_SHA256_HEX];
		struct tl_sha256 s;

		tl_sha256_init(&s);
		for (size_t at = 0; at < 120; at += piece)
			tl_sha256_add(&s, a, 120 - at < piece ? 120 - at :
			    piece);
		tl_sha256_end(&s, d);
		for (size_t i = 0; i < sizeof d; i++)
			snprintf(hex + 2 * i, 3, "%02x", d[i]);
		ok = ok && strcmp(hex, letters[7].want) == 0;
	}
	tap(ok, "120 letters in pieces of 1 to 130 bytes");
}

int
main(void)
{
	test_nist();
	test_letters();
	test_pieces();
	return tap_done();
}
