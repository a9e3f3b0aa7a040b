import { memoryBlobs, memoryEvents, memoryJobs, memoryQueue } from '@plinth/memory';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
	type AppConfig,
	BootError,
	createApp,
	defineBackend,
	definePlugin,
	type JobFeed,
	optional,
	services,
} from '../../src/index.ts';
import { silentLogger } from '../../src/testing/index.ts';

const none = z.strictObject({});
const backends = {
	jobs: memoryJobs(),
	queue: memoryQueue(),
	blobs: memoryBlobs(),
	events: memoryEvents(),
};

async function boot(config: AppConfig) {
	const server = { auth: 'off', drainDelayMs: 0, ...config.server } as const;
	const app = await createApp({ ...config, server }, { log: silentLogger(), env: {} });
	onTestFinished(() => app.stop());
	return app;
}

/** A plugin that follows jobs, and what it was given. */
function follower() {
	const given: { feed?: JobFeed } = {};
	const plugin = definePlugin({
		id: 'follower',
		config: none,
		needs: { feed: services.feed },
		setup: ({ services: { feed } }) => {
			given.feed = feed;
		},
	});
	return { given, plugin: plugin() };
}

const painter = definePlugin({
	id: 'painter',
	config: none,
	jobs: ['picture'],
	setup: ({ job }) => void job('picture', { run: async () => ({ result: {} }) }),
});

describe('the feed of the kernel', () => {
	test('is there for a plugin before all others, and knows the kinds of those behind it', async () => {
		const { given, plugin } = follower();
		const app = await boot({ plugins: { first: plugin, painter: painter() }, backends });
		expect(given.feed?.kinds()).toEqual(['picture']);
		expect(app.service(services.feed)).toBe(given.feed);
		const { needs } = app.tree().parts.find(({ owner }) => owner === 'plugin first') ?? {};
		expect(needs).toContainEqual({ service: 'core.feed', provider: 'kernel' });
	});

	test('waits for a store that a plugin provides', async () => {
		const keeper = definePlugin({
			id: 'keeper',
			config: none,
			needs: { clock: services.clock },
			provides: services.jobs,
			setup: ({ services: { clock }, log }) =>
				memoryJobs().definition.create({
					config: { recordRetentionHours: 1 },
					services: { clock },
					log,
					onStop: () => {},
				}) as never,
		});
		const { given, plugin } = follower();
		await boot({
			backends: { events: memoryEvents() },
			plugins: { first: plugin, keeper: keeper() },
		});
		const reader = await given.feed?.follow({ tenant: 'a', signal: AbortSignal.timeout(60_000) });
		expect(reader?.isOver).toBe(false);
	});

	test.each([
		['core.jobs', { events: memoryEvents() }],
		['core.events', { jobs: memoryJobs() }],
	])('is missed where there is no %s, by that name', async (missing, some) => {
		const { plugin } = follower();
		const error = await boot({ plugins: { follower: plugin }, backends: some }).catch(
			(thrown: unknown) => thrown,
		);
		expect(error).toBeInstanceOf(BootError);
		expect((error as BootError).problems).toMatchObject([
			{
				code: 'E_SERVICE_MISSING',
				owner: 'plugin follower',
				message: expect.stringContaining(missing),
			},
		]);
	});

	test('is undefined for who can do without it, where there is nothing to follow', async () => {
		const given: unknown[] = [];
		const modest = definePlugin({
			id: 'modest',
			config: none,
			needs: { feed: optional(services.feed) },
			setup: ({ services: { feed } }) => void given.push(feed),
		});
		const app = await boot({ plugins: { modest: modest() } });
		expect(given).toEqual([undefined]);
		expect(() => app.service(services.feed)).toThrow('core.feed');
		const [part] = app.tree().parts;
		expect(part?.needs).toContainEqual({ service: 'core.feed', provider: null });
		await boot({ backends, plugins: { modest: modest() } });
		expect(given[1]).toMatchObject({ kinds: expect.any(Function) });
	});

	test('is nobody else’s to provide', async () => {
		const another = defineBackend({
			name: 'another',
			provides: services.feed,
			config: none,
			create: () => ({}) as JobFeed,
		});
		const error = await boot({ backends: { ...backends, another: another() } }).catch(
			(thrown: unknown) => thrown,
		);
		expect((error as BootError).problems).toMatchObject([{ code: 'E_SERVICE_DUPLICATE' }]);
	});

	test('ends when a stop begins, and holds up nothing', async () => {
		const { given, plugin } = follower();
		const app = await boot({
			server: { graceMs: 60_000 },
			plugins: { follower: plugin, painter: painter() },
			backends,
		});
		await app.start();
		const reader = await given.feed?.follow({ tenant: 'a', signal: AbortSignal.timeout(60_000) });
		const updates = reader?.[Symbol.asyncIterator]();
		expect((await updates?.next())?.value?.type).toBe('stream.ready');
		const next = updates?.next();
		const stopped = app.stop();
		expect(await next).toEqual({ done: true, value: undefined });
		expect(reader?.end).toBe('stopping');
		await stopped;
	});
});
