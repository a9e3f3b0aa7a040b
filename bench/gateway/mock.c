/*
 * An upstream that speaks OpenAI's API, on one thread and loopback only. It makes every answer at start and serves
 * one in a few system calls, so that any gateway in front of it is slower.
 *
 *   mock PORT PACE_MS FOLDER
 *
 * FOLDER holds the bodies: chat.json, image.json, speech.wav, video.mp4. A chat with "stream": true is an event
 * stream of 200 chunks with the words of chat.json, each sent by itself: without a pause; one each PACE_MS
 * milliseconds for the model mock-paced; only the first for the model mock-hold. A video is complete at the first
 * poll.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { most_connections = 20000, request_bytes = 16384, events_per_stream = 200, ready_at_once = 512 };

/* none: the answer has a length. burst, paced, held: an event stream. */
enum stream { none, burst, paced, held };

struct bytes { char *at; size_t length; };

struct connection {
	int is_open;
	int waits_to_write;
	char request[request_bytes + 1];
	size_t request_length;
	struct bytes out; /* what of the piece under way is not sent */
	int is_answering;
	enum stream stream;
	int next_event;
};

static struct connection *connections[most_connections];
static int highest;
static int poller;
static struct bytes chat, image, speech, video, record, models, health, unknown, stream_head;
/* The last one is [DONE] and the end of the chunked body. */
static struct bytes events[events_per_stream + 1];

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static struct bytes answer_of(const char *status, const char *type, struct bytes body) {
	char head[512];
	int length = snprintf(head, sizeof head,
		"HTTP/1.1 %s\r\ncontent-type: %s\r\ncontent-length: %zu\r\nx-request-id: req_mock\r\nconnection: keep-alive\r\n\r\n",
		status, type, body.length);
	struct bytes answer = {malloc(length + body.length), length + body.length};
	memcpy(answer.at, head, length);
	memcpy(answer.at + length, body.at, body.length);
	return answer;
}

static struct bytes text(const char *words) {
	return (struct bytes){strdup(words), strlen(words)};
}

static struct bytes file(const char *folder, const char *name) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *stream = fopen(path, "rb");
	if (!stream) fail(path);
	fseek(stream, 0, SEEK_END);
	struct bytes content = {NULL, ftell(stream)};
	rewind(stream);
	content.at = malloc(content.length);
	if (fread(content.at, 1, content.length, stream) != content.length) fail(path);
	fclose(stream);
	return content;
}

static struct bytes chunk(const char *data, const char *end) {
	char framed[1024];
	int length = snprintf(framed, sizeof framed, "%zx\r\n%s\r\n%s", strlen(data), data, end);
	return (struct bytes){strndup(framed, length), length};
}

static void make_answers(const char *folder) {
	const char *json = "application/json";
	chat = answer_of("200 OK", json, file(folder, "chat.json"));
	image = answer_of("200 OK", json, file(folder, "image.json"));
	speech = answer_of("200 OK", "audio/wav", file(folder, "speech.wav"));
	video = answer_of("200 OK", "video/mp4", file(folder, "video.mp4"));
	record = answer_of("200 OK", json, text("{\"id\":\"video_mock\",\"object\":\"video\",\"status\":\"completed\",\"progress\":100,"
		"\"model\":\"mock\",\"created_at\":1700000000,\"seconds\":\"4\",\"size\":\"720x1280\",\"error\":null}"));
	models = answer_of("200 OK", json, text("{\"object\":\"list\",\"data\":[{\"id\":\"mock\",\"object\":\"model\","
		"\"created\":1700000000,\"owned_by\":\"bench\"}]}"));
	health = answer_of("200 OK", "text/plain", text("ok"));
	unknown = answer_of("404 Not Found", json, text("{\"error\":{\"message\":\"There is no such path.\","
		"\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}"));
	stream_head = text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
		"transfer-encoding: chunked\r\nx-request-id: req_mock\r\nconnection: keep-alive\r\n\r\n");
	for (int i = 0; i < events_per_stream; i++) {
		char event[512];
		const char *stop = i == events_per_stream - 1 ? "\"stop\"" : "null";
		snprintf(event, sizeof event, "data: {\"id\":\"chatcmpl-mock\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
			"\"model\":\"mock\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%03d \"},\"logprobs\":null,"
			"\"finish_reason\":%s}]}\n\n", i, stop);
		events[i] = chunk(event, "");
	}
	events[events_per_stream] = chunk("data: [DONE]\n\n", "0\r\n\r\n");
}

static void drop(int fd) {
	connections[fd]->is_open = 0;
	close(fd);
}

static void wait_to_write(int fd, int waits) {
	struct connection *c = connections[fd];
	if (c->waits_to_write == waits) return;
	c->waits_to_write = waits;
	struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.fd = fd};
	epoll_ctl(poller, EPOLL_CTL_MOD, fd, &event);
}

/* Sends the pending bytes. A paced or held stream pauses after its chunk. */
static void pump(int fd) {
	struct connection *c = connections[fd];
	for (;;) {
		while (c->out.length > 0) {
			ssize_t sent = send(fd, c->out.at, c->out.length, MSG_NOSIGNAL);
			if (sent < 0 && errno == EAGAIN) return wait_to_write(fd, 1);
			if (sent < 0) return drop(fd);
			c->out.at += sent;
			c->out.length -= sent;
		}
		wait_to_write(fd, 0);
		int is_last = c->stream == none || c->next_event > events_per_stream;
		if (is_last) {
			c->is_answering = 0;
			return;
		}
		if (c->stream != burst && c->next_event > 0) return;
		c->out = events[c->next_event++];
	}
}

static struct bytes answer_to(struct connection *c) {
	char *line_end = strstr(c->request, "\r\n");
	char *body = strstr(c->request, "\r\n\r\n");
	*line_end = 0;
	const char *path = strchr(c->request, ' ');
	if (!path) return unknown;
	if (strstr(path, "/chat/completions")) {
		if (!strstr(body, "\"stream\":true")) return chat;
		c->stream = strstr(body, "mock-paced") ? paced : strstr(body, "mock-hold") ? held : burst;
		return stream_head;
	}
	if (strstr(path, "/images/generations")) return image;
	if (strstr(path, "/audio/speech")) return speech;
	if (strstr(path, "/content")) return video;
	if (strstr(path, "/videos")) return record;
	if (strstr(path, "/models")) return models;
	return strstr(path, "/health") ? health : unknown;
}

static void answer(int fd) {
	struct connection *c = connections[fd];
	c->stream = none;
	c->next_event = 0;
	c->is_answering = 1;
	c->out = answer_to(c);
	c->request_length = 0;
	pump(fd);
}

/*
 * Whether the request is complete. Clients send one at a time, so the last chunk of a body is at the end of the
 * buffer.
 */
static int is_whole(struct connection *c) {
	char *head_end = strstr(c->request, "\r\n\r\n");
	if (!head_end) return 0;
	char *field = strcasestr(c->request, "\r\ntransfer-encoding: chunked");
	if (field && field < head_end) {
		const char *last = "\r\n0\r\n\r\n";
		size_t length = strlen(last);
		return c->request_length >= length && memcmp(c->request + c->request_length - length, last, length) == 0;
	}
	field = strcasestr(c->request, "\r\ncontent-length:");
	size_t body = field && field < head_end ? strtoul(field + strlen("\r\ncontent-length:"), NULL, 10) : 0;
	return c->request_length >= head_end + 4 - c->request + body;
}

static void receive(int fd) {
	struct connection *c = connections[fd];
	ssize_t got = recv(fd, c->request + c->request_length, request_bytes - c->request_length, 0);
	if (got < 0 && errno == EAGAIN) return;
	if (got <= 0) return drop(fd);
	c->request_length += got;
	c->request[c->request_length] = 0;
	if (!c->is_answering && is_whole(c)) answer(fd);
	else if (c->request_length == request_bytes) drop(fd);
}

static void accept_all(int listener) {
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), one = 1;
		if (fd < 0) return;
		if (fd >= most_connections) {
			close(fd);
			continue;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		if (!connections[fd]) connections[fd] = malloc(sizeof(struct connection));
		memset(connections[fd], 0, sizeof(struct connection));
		connections[fd]->is_open = 1;
		if (fd > highest) highest = fd;
		struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
		epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
	}
}

/* Each millisecond, a share of the streams sends its next chunk. */
static void tick(int timer, unsigned pace) {
	static unsigned long now;
	unsigned long missed = 0;
	if (read(timer, &missed, sizeof missed) != sizeof missed) return;
	/* After a long pause, missed chunks are not all sent at once. */
	for (unsigned long beat = 0; beat < (missed > 50 ? 50 : missed); beat++) {
		now++;
		for (int fd = 0; fd <= highest; fd++) {
			struct connection *c = connections[fd];
			if (!c || !c->is_open || !c->is_answering || c->stream != paced) continue;
			if (c->out.length > 0 || (now + fd * 7ul) % pace != 0) continue;
			c->out = events[c->next_event++];
			pump(fd);
		}
	}
}

static void watch(int fd) {
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
}

int main(int count, char **arguments) {
	if (count != 4) return 2;
	signal(SIGPIPE, SIG_IGN);
	make_answers(arguments[3]);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	if (bind(listener, (void *)&address, sizeof address) < 0 || listen(listener, 4096) < 0) fail("listen");
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct itimerspec each_millisecond = {{0, 1000000}, {0, 1000000}};
	timerfd_settime(timer, 0, &each_millisecond, NULL);
	poller = epoll_create1(0);
	watch(listener);
	watch(timer);
	struct epoll_event ready[ready_at_once];
	for (;;) {
		int n = epoll_wait(poller, ready, ready_at_once, -1);
		for (int i = 0; i < n; i++) {
			int fd = ready[i].data.fd;
			if (fd == listener) accept_all(listener);
			else if (fd == timer) tick(timer, atoi(arguments[2]));
			else {
				if (connections[fd]->is_open && ready[i].events & ~EPOLLOUT) receive(fd);
				if (connections[fd]->is_open && ready[i].events & EPOLLOUT) pump(fd);
			}
		}
	}
}
