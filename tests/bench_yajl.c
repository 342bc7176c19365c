/* A bare parse of JSON from standard input by yajl, nothing done with what is
 * found: what converters of JSON are measured against. */
#include <stdio.h>
#include <unistd.h>

#include <yajl/yajl_parse.h>

int
main(void)
{
	static unsigned char buf[65536];
	yajl_handle y = yajl_alloc(NULL, NULL, NULL);
	ssize_t n;

	while ((n = read(STDIN_FILENO, buf, sizeof buf)) > 0)
		if (yajl_parse(y, buf, (size_t)n) != yajl_status_ok)
			break;
	if (n != 0 || yajl_complete_parse(y) != yajl_status_ok) {
		fprintf(stderr, "bench_yajl: no JSON\n");
		return 1;
	}
	yajl_free(y);
	return 0;
}
