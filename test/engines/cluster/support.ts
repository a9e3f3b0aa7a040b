import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { expect } from 'vitest';
import type { RawClient, WireFailure, WireVideo } from '../../support/client.ts';
import { statement } from '../support/postgres.ts';

/** What an answer was and how long it took. */
export interface Asked {
	readonly status: number;
	readonly ms: number;
	readonly retryAfter: string | null;
	/** Of a job that was created. */
	readonly id: string | undefined;
}

/** Asks for a video of the quick model. An answer that is no 201 must be a failure as the contract has it. */
export async function askFor(client: RawClient, prompt: string): Promise<Asked> {
	const began = performance.now();
	const body = { model: 'quick', prompt, seconds: '2', size: '640x480' };
	const answer = await client.post('/v1/videos', body);
	return toAsked(answer, began);
}

/** Reads at a path, of which the answer may be a failure. */
export async function look(client: RawClient, path: string): Promise<Asked> {
	const began = performance.now();
	return toAsked(await client.send(path), began);
}

async function toAsked(answer: Response, began: number): Promise<Asked> {
	const body = (await answer.json()) as Partial<WireVideo & WireFailure>;
	const ms = Math.round(performance.now() - began);
	if (!answer.ok) expect(Object.keys(body.error ?? {}).sort()).toEqual(['code', 'message', 'param', 'type']);
	return { status: answer.status, ms, retryAfter: answer.headers.get('retry-after'), id: body.id };
}

/** What a client was told while something was wrong. */
export function checkRefusals(answers: readonly Asked[], good: readonly number[], refused: readonly number[]): void {
	for (const answer of answers) {
		expect([...good, ...refused]).toContain(answer.status);
		if (answer.status === 503) expect(Number(answer.retryAfter)).toBeGreaterThan(0);
	}
}

/** Between an answer and the next request of the same client. */
const pauseMs = 50;

/** Clients that ask again and again, until they are stopped. */
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
	// It is looked at by `stop`, which may come later than a failure.
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

/** An event of the log, as the database has it. */
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

/** Waits until all jobs have ended, and returns those that have not completed with one outcome. */
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

/** The number in the middle, the one at a share, and the highest. */
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
