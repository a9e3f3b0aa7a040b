import { type App, type Authenticator, createApp, defineBackend, definePlugin, type Job, services } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { events } from '../src/index.ts';

/** A plugin with two kinds of jobs. One of them has a custom view. */
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

/** API keys have the form `tenant` or `tenant.scope`. */
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
			// No worker runs: the tests write the events.
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

/** Reads a stream; the returned function gives the text so far. */
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
	test('sends pending jobs, then the events of all jobs of the tenant, as their plugins show them', async () => {
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

	test('can be limited to one kind; an unknown kind is rejected with the list of kinds', async () => {
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

	test('continues after Last-Event-ID', async () => {
		const h = await harness();
		const [first, second] = [await h.create('sound'), await h.create('sound')];
		const text = textOf(await h.follow('', { 'last-event-id': '1' }));
		await eventually('the second', () => text().includes(second.id));
		expect(text()).not.toContain(first.id);
		expect(text()).toMatch(/^event: job.queued\nid: 2\n/);
		const refused = await h.follow('', { 'last-event-id': 'x' });
		expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'Last-Event-ID' } }]);
	});

	test('requires the scope events:read', async () => {
		const h = await harness();
		expect((await h.follow('', { 'x-api-key': 'alice.videos:read' })).status).toBe(403);
		expect(h.app.tree().scopes).toContain('events:read');
	});

	test('ends with a reason after its maximum time, and when the server stops', async () => {
		const h = await harness({ streamMinutes: '1' });
		const old = textOf(await h.follow());
		// In steps, so that the first frame is read before the time is over.
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

	test('is documented with its resume header and its errors', async () => {
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
