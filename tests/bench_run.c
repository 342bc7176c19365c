/* bench_run [-i FILE] [-o FILE] COMMAND...: runs the command with standard input
 * and output from and to files (default /dev/null) and prints what it took:
 * seconds by the clock, seconds of processor (user and system), peak memory in
 * KiB. Ends with its status. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
put_at(int fd, const char *path, int flags)
{
	int f = open(path, flags, 0666);

	if (f < 0 || dup2(f, fd) < 0) {
		perror(path);
		_exit(127);
	}
	close(f);
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char *argv[])
{
	const char *in = "/dev/null", *out = "/dev/null";
	struct timespec from, to;
	struct rusage use;
	int c, status;
	pid_t pid;

	while ((c = getopt(argc, argv, "+i:o:")) != -1) {
		switch (c) {
		case 'i':
			in = optarg;
			break;
		case 'o':
			out = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (pid == 0) {
		put_at(STDIN_FILENO, in, O_RDONLY);
		put_at(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
		execvp(argv[optind], argv + optind);
		perror(argv[optind]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	getrusage(RUSAGE_CHILDREN, &use);
	printf("%.3f %.3f %ld\n", (double)(to.tv_sec - from.tv_sec) +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e9,
	    seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
