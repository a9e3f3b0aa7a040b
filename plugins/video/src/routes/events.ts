import { defineRoute, errors, Reply, type Route } from '@plinth/core';
import type { JobFeed } from '@plinth/toolkit';
import { jobKind, withVideoErrors } from '../context.ts';
import { videoErrors } from '../errors.ts';
import { idParams } from '../fields.ts';
import type { VideoOptions } from '../options.ts';

const minuteMs = 60_000;

/** `GET /v1/videos/{id}/events`: the job's state, then its events until it ends or is deleted. */
export function videoEvents(feed: JobFeed, { streamMinutes }: VideoOptions): Route {
	const maxMs = streamMinutes * minuteMs;
	return defineRoute({
		method: 'GET',
		path: '/v1/videos/{id}/events',
		scope: 'videos:read',
		summary: 'Follow a video job',
		description: [
			'Server-sent events, as an alternative to polling. First comes `job.state`, then `job.queued`, `job.started` and',
			'`job.progress`. `job.waiting` comes each second while the model works on other jobs; its `position` is 1 for the',
			'next job. `job.preview` comes at most each second from models that send previews of unfinished videos; its',
			'`preview` is a data URL. The stream ends with `job.completed`, `job.failed` or `job.deleted`. The data of each',
			'event is `{ "object": "event", "type", "created_at", "data" }`, where `data` is the video object as it is when',
			'the event is sent, which may be newer than the event, without `url`.',
			'With `Last-Event-ID` the stream resumes after that event, without the state. A stream that the server ends',
			'before the job has ended closes with `stream.end`:',
			'`data.reason` is `max_age`, `slow_reader` or `stopping`; connect again.',
		].join(' '),
		params: idParams,
		response: {
			description: 'The events.',
			mediaTypes: ['text/event-stream'],
			resumes: true,
			nothing: 'The job has ended, and `Last-Event-ID` names its last event: no further events follow.',
		},
		errors: [errors.E_VALUE_INVALID, videoErrors.E_VIDEO_NOT_FOUND, errors.E_STORE_UNAVAILABLE],
		// Longer than `maxMs`: the feed ends first and sends the reason.
		timeoutMs: maxMs + minuteMs,
		async handler({ params: { id } }, { principal, signal, lastEventId }) {
			const { tenant } = principal;
			const query = { tenant, jobId: id, kind: jobKind, after: lastEventId, maxMs, signal };
			const reader = await withVideoErrors(id, () => feed.follow(query));
			const isComplete = lastEventId !== undefined && reader.isDone && !reader.endReason;
			return isComplete ? Reply.empty() : Reply.events(feed.events(reader));
		},
	});
}
