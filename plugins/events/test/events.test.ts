import { type App, type Authenticator, createApp, defineBackend, definePlugin, type Job, services } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { events } from '../src/index.ts';

/** A plugin with two kinds of job, of which one says how it looks. */
const worker = definePlugin({
	id: 'worker',
	config: z.strictObject({}),
	jobs: ['picture', 'sound'],
	setup({ job }) {
		const run = () => Promise.resolve({ result: {} });
		job('picture', { run, view: ({ id, status }) => ({ picture: id, status }) });
		job('sound', { run });
	},
});

/** Keys are `tenant` or `tenant.scope`. */
const auth = defineBackend({
	name: 'fakeAuth',
	provides: services.authenticator,
	config: z.strictObject({}),
	create: (): Authenticator => ({
		async authenticate(key) {
			const [tenant = '', scope = 'events:read'] = key.split('.');
			return { id: key, tenant, scopes: [scope] };
		},
	}),
});

interface Harness {
	readonly app: App;
	readonly clock: ManualClock;
	follow(query?: string, headers?: Record<string, string>): Promise<Response>;
	create(kind: string, tenant?: string): Promise<Job>;
}

async function harness(options: Parameters<typeof events>[0] = {}): Promise<Harness> {
	const clock = manualClock();
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 60_000 },
			// Nothing runs: what happens is what the tests write.
			role: 'api',
			backends: {
				auth: auth(),
				jobs: memoryJobs(),
				blobs: memoryBlobs(),
				events: memoryEvents(),
			},
			plugins: { events: events(options), worker: worker() },
		},
		{ clock, log: silentLogger(), env: {} },
	);
	onTestFinished(() => app.stop());
	let made = 0;
	return {
		app,
		clock,
		follow: (query = '', headers = {}) =>
			app.fetch(
				new Request(`http://localhost/v1/events${query}`, {
					headers: { 'x-api-key': 'alice', ...headers },
				}),
			),
		async create(kind, tenant = 'alice') {
			made += 1;
			const id = `${kind}_${made}`;
			const owner = { tenant, principal: 'key', model: 'm', input: {}, maxAttempts: 1 };
			const { job } = await app.service(services.jobs).create({ id, kind, ...owner });
			app.service(services.events).publish({
				type: 'job.queued',
				tenant,
				subject: id,
				data: null,
			});
			return job;
		},
	};
}

/** Reads a stream, and answers with its text so far. */
function textOf(response: Response): () => string {
	let text = '';
	void response.body
		?.pipeThrough(new TextDecoderStream())
		.pipeTo(
			new WritableStream({
				write(chunk) {
					text += chunk;
				},
			}),
		)
		.catch(() => {});
	return () => text;
}

describe('GET /v1/events', () => {
	test("tells what waits or runs, then what happens to the tenant's jobs of every kind, each as its plugin shows it", async () => {
		const h = await harness();
		const sound = await h.create('sound');
		await h.create('sound', 'bob');
		const text = textOf(await h.follow());
		await eventually('the state', () => text().includes('job.state'));
		const picture = await h.create('picture');
		await eventually('an event', () => text().includes('job.queued'));
		const [state, ready, queued] = text()
			.split('\n\n')
			.map((part) => JSON.parse(part.split('data: ')[1] ?? 'null'));
		expect(state).toEqual({
			object: 'event',
			type: 'job.state',
			created_at: Math.floor(h.clock.now() / 1000),
			data: expect.objectContaining({ id: sound.id, object: 'sound', status: 'queued' }),
		});
		expect(ready).toMatchObject({ object: 'event', type: 'stream.ready', data: {} });
		expect(queued.data).toEqual({ picture: picture.id, status: 'queued' });
		expect(text()).not.toContain('bob');
	});

	test('may be of one kind, and names the kinds when there is no such one', async () => {
		const h = await harness();
		await h.create('sound');
		const picture = await h.create('picture');
		const text = textOf(await h.follow('?kind=picture'));
		await eventually('the state', () => text().includes(picture.id));
		expect(text()).not.toContain('sound');
		const refused = await h.follow('?kind=smell');
		expect([refused.status, await refused.json()]).toMatchObject([
			400,
			{ error: { param: 'kind', message: expect.stringContaining('picture, sound') } },
		]);
	});

	test('goes on behind Last-Event-ID', async () => {
		const h = await harness();
		const [first, second] = [await h.create('sound'), await h.create('sound')];
		const text = textOf(await h.follow('', { 'last-event-id': '1' }));
		await eventually('the second', () => text().includes(second.id));
		expect(text()).not.toContain(first.id);
		expect(text()).toMatch(/^event: job.queued\nid: 2\n/);
		const refused = await h.follow('', { 'last-event-id': 'x' });
		expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'Last-Event-ID' } }]);
	});

	test('needs events:read', async () => {
		const h = await harness();
		expect((await h.follow('', { 'x-api-key': 'alice.videos:read' })).status).toBe(403);
		expect(h.app.tree().scopes).toContain('events:read');
	});

	test('ends after its time, and at once when the server stops, and says so', async () => {
		const h = await harness({ streamMinutes: '1' });
		const old = textOf(await h.follow());
		// In steps: a clock that jumps leaves no time to read the first frame.
		await eventually('the end', async () => {
			await h.clock.advance(1_000);
			return old().includes('max_age');
		});
		const late = textOf(await h.follow());
		await eventually('the beginning', () => late().includes('stream.ready'));
		await h.app.stop();
		await eventually('the end', () => late().includes('stopping'));
		expect(late()).toMatch(/\n\nevent: stream.end\ndata: \{"object":"event","type":"stream.end",/);
	});

	test('is described with what it goes on by, and what it may refuse', async () => {
		const { app } = await harness();
		const { paths } = app.openapi() as { paths: Record<string, { get: object }> };
		expect(paths['/v1/events']?.get).toMatchObject({
			parameters: expect.arrayContaining([
				expect.objectContaining({ in: 'header', name: 'Last-Event-ID' }),
				expect.objectContaining({ in: 'query', name: 'kind' }),
			]),
			responses: {
				200: { content: { 'text/event-stream': {} } },
				400: { description: expect.stringContaining('invalid_value') },
			},
		});
	});
});
