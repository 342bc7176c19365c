#ifndef TL_REPLAY_ACL_H
#define TL_REPLAY_ACL_H

/* Launches of graphs on Ascend devices, as tl-msprof2ev(1) tells them: a task
 * that executes a graph, the wait behind it, the record that ends it, and work
 * on the streams that the graph was captured to. _acl gathers, _acl_match finds
 * what belongs to each execution, _acl_near which waits and records are near
 * each other, _acl_body which work lies in it. */

#include "tl-replay.h"

/* Model of a task: it has none; it has one that the capture map does not. */
#define ACL_NO_MODEL REP_NONE
#define ACL_OTHER_MODEL (REP_NONE - 1)

/* On a stream of more graphs than this it is not looked whose the work is that
 * tells no model. */
#define ACL_OWNERS 16

/* How far apart a wait and its record may end. */
#define ACL_NEAR_NS 10000

/* A task that controls a graph. */
struct acl_task {
	int64_t start_ns, end_ns;
	uint64_t corr;
	uint32_t lane, id;
	uint32_t model; /* index of a graph, or as above */
	bool untied;    /* has no correlation */
	bool taken;     /* a wait or record that is somebody's */
};

struct acl_tasks {
	struct acl_task *v;
	size_t n, cap;
};

/* Other work on a stream of a graph, of which is not known what it is. */
struct acl_work {
	int64_t start_ns, end_ns;
	uint32_t lane, model;
	uint32_t record; /* which one it is, or REP_NONE */
};

struct acl_owner {
	uint32_t stream, graph;
};

struct rep_acl {
	bool no_names;            /* tables of names could not be used */
	struct tl_intern graphs;  /* device, model */
	struct tl_intern streams; /* device, lane: of graphs */
	struct acl_owner *owner;  /* by stream, then graph, after gathering */
	size_t n_owners, owners_cap;
	size_t *first_owner;      /* by stream, and the end */
	struct acl_tasks execute, wait, record; /* in order of the stream */
	struct acl_work *work;
	size_t n_work, work_cap;
	struct rep_acl_launch *launch; /* one for each execution */
	size_t *window;           /* launches by graph, device, start */
	size_t n_windows;
	bool *crowded;            /* by stream: such work was there */
	size_t *first_window;     /* by graph, and the end */
};

/* The only graph of a stream; REP_NONE if there are none or several. */
uint32_t acl_only_owner(const struct rep_acl *acl, uint32_t stream);

bool acl_is_owner(const struct rep_acl *acl, uint32_t stream, uint32_t graph);

/* Finds wait and record of each execution, and its graph. */
void acl_match(struct rep_capture *cap);

/* What is to be paired: a time and an index. */
struct acl_point {
	int64_t at_ns;
	uint32_t i;
};

/* Pairs of a and b that are at most ACL_NEAR_NS apart, one to one: of all
 * pairs the nearest first, then the next of what is left; of pairs as near
 * that with the least index in a, then in b. mate[k] becomes the index within
 * b of the partner of a[k], or SIZE_MAX. Sorts a and b by time and index. */
void acl_near(struct acl_point *a, size_t na, struct acl_point *b, size_t nb,
    size_t *mate);

/* Finds the members of each execution. */
void acl_bodies(struct rep_capture *cap);

#endif
