import { defineRoute, errors, invalidValue, Reply, type Route } from '@plinth/core';
import type { JobFeed } from '@plinth/toolkit';
import { z } from 'zod';
import type { EventsOptions } from './options.ts';

const minuteMs = 60_000;

const query = z.object({
	kind: z
		.string()
		.optional()
		.meta({ description: 'Only jobs of this kind, such as `video`.', examples: ['video'] }),
});

/** `GET /v1/events`: the pending jobs, then the events of all jobs of the tenant. */
export function followEvents({ streamMinutes }: EventsOptions, feed: JobFeed): Route {
	const maxMs = streamMinutes * minuteMs;
	return defineRoute({
		method: 'GET',
		path: '/v1/events',
		scope: 'events:read',
		summary: 'Follow all jobs of the tenant',
		description: [
			'Server-sent events. First come a `job.state` for every queued or running job, at most 1,000, and a',
			'`stream.ready`. Jobs that ended before are only in the lists of their routes. Then come `job.queued`,',
			'`job.started`, `job.progress`,',
			'`job.completed`, `job.failed` and `job.deleted`. `job.waiting` comes each second for a queued job whose model',
			'works on other jobs; its `position` is 1 for the next job. `job.preview` comes at most each second from models',
			'that send previews of unfinished work: its `preview` is a picture as a data URL. The data of each event is',
			'`{ "object": "event", "type", "created_at", "data" }`, where `data` is the job in the form of its own route,',
			'as it is when the event is sent, which may be newer than the event. Of a deleted job, only `job.deleted` is sent.',
			'With `Last-Event-ID` the stream resumes after that event, without the states and `stream.ready`, as long as the',
			'later events are kept. A stream that the server ends closes with `stream.end`:',
			'`data.reason` is `max_age`, `slow_reader` or `stopping`; connect again.',
		].join(' '),
		query,
		response: { description: 'The events.', mediaTypes: ['text/event-stream'], resumes: true },
		errors: [errors.E_VALUE_INVALID, errors.E_STORE_UNAVAILABLE],
		// Longer than `maxMs`: the feed ends first and sends the reason.
		timeoutMs: maxMs + minuteMs,
		async handler({ query: { kind } }, { principal, signal, lastEventId }) {
			const { tenant } = principal;
			if (kind !== undefined && !feed.kinds().includes(kind)) throw unknownKind(feed.kinds());
			const kindFilter = kind === undefined ? {} : { kind };
			const reader = await feed.follow({ tenant, after: lastEventId, maxMs, signal, ...kindFilter });
			return Reply.events(feed.events(reader));
		},
	});
}

function unknownKind(kinds: readonly string[]): Error {
	return invalidValue('kind', `kind: one of ${kinds.join(', ') || '(none)'} is expected.`);
}
