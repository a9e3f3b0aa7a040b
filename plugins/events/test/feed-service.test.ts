import { type AppConfig, BootError, createApp, definePlugin } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { silentLogger } from '@plinth/testing';
import { type JobFeed, mediaServices } from '@plinth/toolkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { events } from '../src/index.ts';

const none = z.strictObject({});
const backends = {
	jobs: memoryJobs(),
	blobs: memoryBlobs(),
	events: memoryEvents(),
};

async function boot(config: AppConfig) {
	const server = { auth: 'off', drainDelayMs: 0, ...config.server } as const;
	const app = await createApp({ ...config, server }, { log: silentLogger(), env: {} });
	onTestFinished(() => app.stop());
	return app;
}

/** A plugin that follows jobs, and the service that it received. */
function follower() {
	const received: { feed?: JobFeed } = {};
	const plugin = definePlugin({
		id: 'follower',
		config: none,
		needs: { feed: mediaServices.feed },
		setup: ({ services: { feed } }) => {
			received.feed = feed;
		},
	});
	return { given: received, plugin: plugin() };
}

const painter = definePlugin({
	id: 'painter',
	config: none,
	jobs: ['picture'],
	setup: ({ job }) => void job('picture', { run: async () => ({ result: {} }) }),
});

describe('the feed of the events plugin', () => {
	test('is available to plugins that start earlier, and knows the job kinds of later ones', async () => {
		const { given, plugin } = follower();
		const plugins = { first: plugin, events: events(), painter: painter() };
		const app = await boot({ plugins, backends });
		expect(given.feed?.kinds()).toEqual(['picture']);
		expect(app.service(mediaServices.feed)).toBe(given.feed);
	});

	test.each([
		['core.jobs', { events: memoryEvents() }],
		['core.events', { jobs: memoryJobs() }],
	])('requires %s, which its error names', async (missing, some) => {
		const error = await boot({ plugins: { events: events() }, backends: some }).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(BootError);
		expect((error as BootError).problems).toMatchObject([
			{
				code: 'E_SERVICE_MISSING',
				owner: 'plugin events',
				message: expect.stringContaining(missing),
			},
		]);
	});

	test('ends when a stop begins, and does not delay the stop', async () => {
		const { given, plugin } = follower();
		const app = await boot({
			server: { graceMs: 60_000 },
			plugins: { follower: plugin, events: events(), painter: painter() },
			backends,
		});
		await app.start();
		const reader = await given.feed?.follow({ tenant: 'a', signal: AbortSignal.timeout(60_000) });
		const updates = reader?.[Symbol.asyncIterator]();
		expect((await updates?.next())?.value?.type).toBe('stream.ready');
		const next = updates?.next();
		const stopped = app.stop();
		expect(await next).toEqual({ done: true, value: undefined });
		expect(reader?.endReason).toBe('stopping');
		await stopped;
	});
});
