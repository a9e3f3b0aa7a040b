import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { root } from '../../support/cli.ts';
import type { WireVideo } from '../../support/client.ts';
import { createFleet, type Fleet, type Member, type MemberOptions, type Server } from '../../support/fleet.ts';
import { printTable } from '../../support/table.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';
import { loggedEvents } from './support.ts';

const jobs = { leaseMs: 1_500, heartbeatMs: 300, progressMs: 100, pollMs: 300, sweepMs: 300 };
const retentionSeconds = 4;
const retrySeconds = 1;
const dutyMs = 12_000;
/** The tolerance for time limits on a busy machine. */
const slackMs = 2_000;

const right: MemberOptions = {
	env: {
		TEST_RETENTION_SECONDS: String(retentionSeconds),
		PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true',
		PLINTH_WEBHOOK_RETRY_SECONDS: Array.from({ length: 5 }, () => retrySeconds).join(),
	},
};

/** Options of a process on the host with the wrong clock. */
const wrongBy = (hours: number): MemberOptions => ({
	env: {
		...right.env,
		NODE_OPTIONS: `--import=${join(root, 'test/support/shifted-clock.ts')}`,
		TEST_CLOCK_SHIFT_MS: String(hours * 3_600_000),
	},
});

let server: OwnPostgres;
let url: string;
let fleet: Fleet;
let receiver: WebhookReceiver;

beforeAll(async () => {
	server = await ownPostgres();
});

afterAll(() => server?.remove());

beforeEach(async () => {
	url = await server.database();
	fleet = await createFleet('clocks', { jobs, database: url });
	receiver = await startWebhookReceiver();
	onTestFailed(() => console.error(fleet.output()));
});

afterEach(async () => {
	await fleet.remove();
	await receiver.close();
});

const startsOf = async (id: string) =>
	(await loggedEvents(url)).filter(({ type, jobId }) => type === 'job.started' && jobId === id);

/** The holders of the duties, if no duty is held for longer than its maximum. */
async function duties(): Promise<readonly object[]> {
	const text = 'SELECT name, holder FROM plinth.duties WHERE until - plinth.now_ms() BETWEEN 0 AND $1 ORDER BY name';
	return statement(url, text, [dutyMs]);
}

/** Starts a second worker, kills the worker whose job is nearly completed, and returns the time to the next attempt. */
async function handOver({ client }: Server, id: string, holder: Member, next: MemberOptions) {
	const before = (await startsOf(id)).length;
	const heir = await fleet.work(next);
	const isNearlyDone = async () => (await client.json<WireVideo>(`/v1/videos/${id}`)).progress >= 0.9;
	await eventually('the job is nearly done', isNearlyDone, 15_000);
	expect((await startsOf(id)).length).toBe(before);
	await holder.kill();
	const killedAt = performance.now();
	await eventually('the second worker has the job', async () => (await startsOf(id)).length > before, 15_000);
	return { heir, ms: Math.round(performance.now() - killedAt) };
}

/** When a path stops answering 200, in milliseconds since the Unix epoch. */
async function deletedAt({ client }: Server, path: string): Promise<number> {
	let at = 0;
	const isDeleted = async () => {
		at = Date.now();
		const response = await client.send(path);
		await response.arrayBuffer();
		return response.status !== 200;
	};
	await eventually('the content is deleted', isDeleted, 1_000 * retentionSeconds + 10_000);
	return at;
}

describe.each([2, -2])('a host with a clock that is wrong by %i hours', (hours) => {
	const wrong = wrongBy(hours);

	test('keeps its leases, and takes over leases of other hosts in time', async () => {
		const [api, first] = await Promise.all([fleet.serve({ role: 'api', ...wrong }), fleet.work(wrong)]);
		const { id, created_at } = await api.client.create({ model: 'quick', prompt: 'ms=4500' });
		expect(Math.abs(created_at - Date.now() / 1_000)).toBeLessThan(5);
		await eventually('it runs', async () => (await startsOf(id)).length === 1);
		const toRight = await handOver(api, id, first, right);
		const toWrong = await handOver(api, id, toRight.heir, wrong);
		const { status, completed_at, expires_at } = await api.client.finished(id);

		printTable(`leases, with a clock that is wrong by ${hours} h`, {
			'kill of the wrong host to the next attempt (ms)': toRight.ms,
			'kill of the right host to the next attempt (ms)': toWrong.ms,
			attempts: (await startsOf(id)).length,
		});
		for (const { ms } of [toRight, toWrong]) {
			expect(ms).toBeGreaterThan(jobs.leaseMs - jobs.heartbeatMs - 500);
			expect(ms).toBeLessThan(jobs.leaseMs + jobs.pollMs + slackMs);
		}
		expect(status).toBe('completed');
		expect((expires_at ?? 0) - (completed_at ?? 0)).toBe(retentionSeconds);
		expect(Math.abs((completed_at ?? 0) - Date.now() / 1_000)).toBeLessThan(5);
	});

	test('lets content expire and sends webhooks in time', async () => {
		const [here, there] = await Promise.all([
			fleet.serve({ role: 'api', ...wrong }),
			fleet.serve({ role: 'api', ...right }),
			fleet.work(wrong),
			fleet.work(right),
		]);
		const path = '/hook';
		const body = { name: 'hook', url: receiver.url + path, event_types: ['video.completed'] };
		const endpoint = (await (await here.client.post('/v1/webhook_endpoints', body)).json()) as {
			signing_secret: string;
		};
		receiver.secrets.set(path, endpoint.signing_secret);
		const arrivedAt: number[] = [];
		// Called once for each request, in their order.
		receiver.behaviour = () => (arrivedAt.push(Date.now()) % 2 === 1 ? 'fail' : 'ok');

		const made = await Promise.all(
			[here, there, here, there].map(({ client }, n) => client.create({ model: 'quick', prompt: `${n} ms=50` })),
		);
		const done = await Promise.all(made.map(({ id }) => there.client.finished(id)));
		const holders = await duties();
		const expired = await Promise.all(
			done.map(async ({ id, expires_at, url: link = '' }, n) => {
				const reader = [here, there][n % 2] as Server;
				expect((await fetch(link)).status).toBe(200);
				return (await deletedAt(reader, `/v1/videos/${id}/content`)) - 1_000 * (expires_at ?? 0);
			}),
		);
		const taken = () => receiver.arrivals.filter(({ isAccepted }) => isAccepted).map(({ event }) => event.data.id);
		await eventually('all webhooks are delivered', () => made.every(({ id }) => taken().includes(id)), 10_000).catch(
			() => {},
		);
		const [last, repeats] = [new Map<string, number>(), [] as number[]];
		for (const [index, { event }] of receiver.arrivals.entries()) {
			const [before, at = 0] = [last.get(event.id), arrivedAt[index]];
			if (before !== undefined) repeats.push(at - before);
			last.set(event.id, at);
		}
		const holdersLater = await duties();

		printTable(`expiry and webhooks, with a clock that is wrong by ${hours} h`, {
			'content gone after its expiry (ms)': expired.join(', '),
			'webhooks taken': taken().length,
			'from a failed request to the next (ms)': repeats.join(', '),
			faults: receiver.faults.join(' ') || 'none',
		});
		for (const ms of expired) {
			expect(ms).toBeGreaterThan(-1_000);
			expect(ms).toBeLessThan(1_000 + jobs.leaseMs + slackMs);
		}
		for (const ms of repeats) {
			expect(ms).toBeGreaterThan(800 * retrySeconds);
			expect(ms).toBeLessThan(1_000 * retrySeconds + jobs.leaseMs + slackMs);
		}
		expect(holdersLater).toEqual(holders);
		expect(receiver.faults).toEqual([]);
		expect(taken().toSorted()).toEqual(made.map(({ id }) => id).toSorted());
	});
});
