import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { expect } from 'vitest';
import type { RawClient, WireFailure, WireVideo } from '../../support/client.ts';
import { statement } from '../support/postgres.ts';

/** The status of a response and how long it took. */
export interface Asked {
	readonly status: number;
	readonly ms: number;
	readonly retryAfter: string | null;
	/** The id of a created job. */
	readonly id: string | undefined;
}

/** Requests a video of the quick model. A response other than 201 must be an error that conforms to the API. */
export async function requestVideo(client: RawClient, prompt: string): Promise<Asked> {
	const began = performance.now();
	const body = { model: 'quick', prompt, seconds: '2', size: '640x480' };
	const response = await client.post('/v1/videos', body);
	return toAsked(response, began);
}

/** Reads a path. The response may be an error. */
export async function readPath(client: RawClient, path: string): Promise<Asked> {
	const began = performance.now();
	return toAsked(await client.send(path), began);
}

async function toAsked(response: Response, began: number): Promise<Asked> {
	const body = (await response.json()) as Partial<WireVideo & WireFailure>;
	const ms = Math.round(performance.now() - began);
	if (!response.ok) expect(Object.keys(body.error ?? {}).sort()).toEqual(['code', 'message', 'param', 'type']);
	return { status: response.status, ms, retryAfter: response.headers.get('retry-after'), id: body.id };
}

/** What clients observed during an outage. */
export function checkRefusals(answers: readonly Asked[], good: readonly number[], refused: readonly number[]): void {
	for (const response of answers) {
		expect([...good, ...refused]).toContain(response.status);
		if (response.status === 503) expect(Number(response.retryAfter)).toBeGreaterThan(0);
	}
}

/** The pause between a response and the next request of the same client. */
const pauseMs = 50;

/** Clients that send requests continuously until stopped. */
export function keepAsking(count: number, ask: () => Promise<Asked>) {
	const answers: Asked[] = [];
	let isOver = false;
	const clients = Array.from({ length: count }, async () => {
		while (!isOver) {
			answers.push(await ask());
			await delay(pauseMs);
		}
	});
	const all = Promise.all(clients);
	// The error is reported by `stop`, which may be called later.
	all.catch(() => {});
	return {
		answers,
		async stop(): Promise<readonly Asked[]> {
			isOver = true;
			await all;
			return answers;
		},
	};
}

/** An event of the log, as stored in the database. */
export interface LoggedEvent {
	readonly type: string;
	readonly jobId: string;
	readonly at: number;
	readonly attempt: number;
}

/** The log of a database, in order. */
export async function loggedEvents(url: string): Promise<readonly LoggedEvent[]> {
	type Row = { readonly type: string; readonly job_id: string; readonly at: string; readonly data: string };
	const rows = await statement<Row>(url, 'SELECT type, job_id, at, data FROM plinth.events ORDER BY place');
	return rows.map(({ type, job_id, at, data }) => {
		const { attempt } = JSON.parse(data) as { attempt: number };
		return { type, jobId: job_id, at: Number(at), attempt };
	});
}

/** Waits until all jobs have ended, and returns those without exactly one completion event. */
export async function unfinished(url: string, ids: readonly string[], timeoutMs = 20_000): Promise<readonly string[]> {
	const ends = new Map<string, string[]>();
	const isOver = async () => {
		ends.clear();
		for (const { type, jobId } of await loggedEvents(url)) {
			if (['job.completed', 'job.failed'].includes(type)) ends.set(jobId, [...(ends.get(jobId) ?? []), type]);
		}
		return ids.every((id) => ends.has(id));
	};
	await eventually('all jobs have ended', isOver, timeoutMs).catch(() => {});
	return ids.filter((id) => String(ends.get(id)) !== 'job.completed');
}

/** The median, the given percentile and the maximum. */
export function spread(values: readonly number[]): string {
	const sorted = values.toSorted((a, b) => a - b);
	const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
	return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} ms (${sorted.length})`;
}

/** The URL of the same database at another port. */
export function throughPort(url: string, port: number): string {
	const through = new URL(url);
	through.port = String(port);
	return through.href;
}
