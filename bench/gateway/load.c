/*
 * A client on one thread that repeats the same HTTP/1.1 request on every connection, one at a time on each.
 *
 *   load PORT CONNECTIONS MILLISECONDS REQUEST_FILE [hold]
 *
 * When the time is up, it waits for the open requests, so that the server's cost can be divided by all answers. It
 * prints one line of JSON: requests, refusals (no 2xx), connections lost inside an answer, milliseconds in all, the
 * median and the 99th percentile of the milliseconds to the end of an answer, and the median of those to the first
 * byte of the body.
 *
 * With `hold` it sends one request on each connection. As soon as all bodies have begun, or when the time is up, it
 * prints their number. It then holds the connections until it is ended.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { head_bytes = 16384, most_samples = 4000000, ready_at_once = 512, patience_ms = 20000 };

/* The state of the parser of an answer. `line` is a chunk's length, `after` the line end behind the chunk. */
enum part { idle, head, sized, line, data, after, trailer };

struct connection {
	int fd;
	enum part part;
	char head[head_bytes + 1];
	size_t head_length;
	long long missing; /* bytes of the body, or of its chunk */
	int trailer_has_text;
	int status;
	int closes;
	double sent_at, first_at;
};

static int port, poller, holds;
static char *request;
static size_t request_length;
static double ends_at;
static unsigned long requests, refused, lost, begun;
static size_t samples;
static float *whole_ms, *first_ms;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static void open_connection(struct connection *c) {
	int one = 1;
	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	if (connect(c->fd, (void *)&address, sizeof address) < 0) fail("connect");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
	epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event);
}

static void reopen(struct connection *c) {
	close(c->fd);
	open_connection(c);
}

static void ask(struct connection *c) {
	c->part = head;
	c->head_length = 0;
	c->first_at = 0;
	c->sent_at = now();
	/* Requests are small enough for one send. */
	if (send(c->fd, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length) fail("send");
}

static void ask_unless_over(struct connection *c) {
	c->part = idle;
	if (c->closes) reopen(c);
	if (now() < ends_at && !holds) ask(c);
}

static void finish(struct connection *c) {
	double t = now();
	requests++;
	if (c->status < 200 || c->status > 299) refused++;
	if (samples < most_samples) {
		whole_ms[samples] = t - c->sent_at;
		first_ms[samples++] = (c->first_at ? c->first_at : t) - c->sent_at;
	}
	ask_unless_over(c);
}

static void note_first(struct connection *c) {
	if (c->first_at) return;
	c->first_at = now();
	begun++;
}

/* Reads bytes of a head and returns their number. */
static size_t read_head(struct connection *c, const char *bytes, size_t length) {
	size_t before = c->head_length, room = head_bytes - before;
	size_t taken = length < room ? length : room;
	memcpy(c->head + before, bytes, taken);
	c->head_length += taken;
	c->head[c->head_length] = 0;
	char *end = strstr(c->head, "\r\n\r\n");
	if (!end) {
		if (taken == room) exit(1);
		return taken;
	}
	taken = end + 4 - c->head - before;
	end[2] = 0;
	c->status = atoi(c->head + strlen("HTTP/1.1 "));
	c->closes = strcasestr(c->head, "\r\nconnection: close\r\n") != NULL;
	char *field = strcasestr(c->head, "\r\ncontent-length:");
	c->missing = field ? atoll(field + strlen("\r\ncontent-length:")) : 0;
	c->part = strcasestr(c->head, "\r\ntransfer-encoding: chunked") ? line : sized;
	if (c->part == line) c->missing = 0;
	else if (c->missing == 0) finish(c);
	return taken;
}

static int digit(char x) {
	if (x >= '0' && x <= '9') return x - '0';
	x |= 32;
	return x >= 'a' && x <= 'f' ? x - 'a' + 10 : -1;
}

/* Reads bytes of a body and returns their number. */
static size_t read_body(struct connection *c, const char *bytes, size_t length) {
	if (c->part == sized || c->part == data) {
		note_first(c);
		size_t taken = length < (size_t)c->missing ? length : (size_t)c->missing;
		c->missing -= taken;
		if (c->missing > 0) return taken;
		if (c->part == sized) finish(c);
		else c->part = after;
		return taken;
	}
	char x = *bytes;
	if (c->part == line && digit(x) >= 0) c->missing = c->missing * 16 + digit(x);
	else if (c->part == line && x == '\n') {
		c->part = c->missing > 0 ? data : trailer;
		c->trailer_has_text = 0;
	} else if (c->part == after && x == '\n') c->part = line;
	else if (c->part == trailer && x == '\n') {
		if (c->trailer_has_text) c->trailer_has_text = 0;
		else finish(c);
	} else if (c->part == trailer && x != '\r') c->trailer_has_text = 1;
	return 1;
}

static void receive(struct connection *c) {
	static char bytes[1 << 20];
	ssize_t got = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN) return;
	if (got <= 0) {
		if (c->part != idle) lost++;
		c->closes = 0;
		reopen(c);
		return ask_unless_over(c);
	}
	for (size_t at = 0; at < (size_t)got && c->part != idle;) {
		size_t left = got - at;
		at += c->part == head ? read_head(c, bytes + at, left) : read_body(c, bytes + at, left);
	}
}

static int by_size(const void *a, const void *b) {
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static float at(const float *sorted, double share) {
	return samples ? sorted[(size_t)((samples - 1) * share)] : 0;
}

static void read_request(const char *path) {
	FILE *file = fopen(path, "rb");
	if (!file) fail(path);
	fseek(file, 0, SEEK_END);
	request_length = ftell(file);
	rewind(file);
	request = malloc(request_length);
	if (fread(request, 1, request_length, file) != request_length) fail(path);
	fclose(file);
}

static int is_over(struct connection *all, int count) {
	double t = now();
	if (holds || t < ends_at) return 0;
	if (t > ends_at + patience_ms) {
		for (int i = 0; i < count; i++) lost += all[i].part != idle;
		return 1;
	}
	for (int i = 0; i < count; i++) if (all[i].part != idle) return 0;
	return 1;
}

static void say_held(int count) {
	static int is_said;
	if (is_said || (begun < (unsigned long)count && now() < ends_at)) return;
	is_said = 1;
	printf("{\"begun\":%lu}\n", begun);
	fflush(stdout);
}

int main(int count, char **arguments) {
	if (count < 5) return 2;
	port = atoi(arguments[1]);
	int most = atoi(arguments[2]);
	holds = count > 5;
	read_request(arguments[4]);
	poller = epoll_create1(0);
	whole_ms = malloc(most_samples * sizeof *whole_ms);
	first_ms = malloc(most_samples * sizeof *first_ms);
	struct connection *all = calloc(most, sizeof *all);
	for (int i = 0; i < most; i++) open_connection(&all[i]);
	double began = now();
	ends_at = began + atof(arguments[3]);
	for (int i = 0; i < most; i++) ask(&all[i]);
	struct epoll_event ready[ready_at_once];
	while (!is_over(all, most)) {
		int n = epoll_wait(poller, ready, ready_at_once, 100);
		for (int i = 0; i < n; i++) receive(ready[i].data.ptr);
		if (holds) say_held(most);
	}
	double ms = now() - began;
	qsort(whole_ms, samples, sizeof *whole_ms, by_size);
	qsort(first_ms, samples, sizeof *first_ms, by_size);
	printf("{\"requests\":%lu,\"refused\":%lu,\"lost\":%lu,\"ms\":%.1f,\"p50\":%.4f,\"p99\":%.4f,\"first50\":%.4f}\n", requests, refused, lost, ms,
		at(whole_ms, 0.5), at(whole_ms, 0.99), at(first_ms, 0.5));
	return 0;
}
