import { type App, definePlugin, type JobCallback, type Logger, services } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { type ManualClock, silentLogger, testApp } from '@plinth/testing';
import { type JobCallbacks, mediaServices } from '@plinth/toolkit';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { webhooks } from '../src/index.ts';

/** Options of a test. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof webhooks>[0];
	readonly log?: Logger;
}

/** The running app and its clients. */
export interface Harness {
	readonly app: App;
	readonly clock: ManualClock;
	readonly callbacks: JobCallbacks;
	/** The official SDK, by default for tenant `alice`. */
	client(key?: string): OpenAI;
	/** Sends a request, by default of tenant `alice`. */
	send(method: string, path: string, json?: unknown, key?: string): Promise<Response>;
	/** Ends a new job, publishes the event and returns the id. */
	end(tenant?: string, callback?: JobCallback): Promise<string>;
}

/**
 * Starts an app with the plugin on memory backends, and with a plugin that has two kinds of jobs without a worker.
 * Stops it after the test.
 */
export async function harness({ options, log = silentLogger() }: HarnessOptions = {}): Promise<Harness> {
	const { app, clock, send } = await testApp({
		log,
		backends: {
			jobs: memoryJobs(),
			blobs: memoryBlobs(),
			events: memoryEvents(),
			records: memoryRecords(),
		},
		plugins: { kinds: kinds(), webhooks: webhooks({ allowPrivate: true, ...options }) },
		onTestFinished,
	});
	await app.start();
	return {
		app,
		clock,
		callbacks: app.service(mediaServices.callbacks),
		client: (key = 'alice') =>
			new OpenAI({
				apiKey: key,
				baseURL: 'http://localhost/v1',
				maxRetries: 0,
				fetch: (url, init) => app.fetch(new Request(url, init)),
			}),
		send: (method, path, json, key = 'alice') => send(method, path, { json, key }),
		end: (tenant = 'alice', callback) => endJob(app, clock, tenant, callback),
	};
}

let made = 0;

async function endJob(app: App, clock: ManualClock, tenant: string, callback?: JobCallback) {
	const store = app.service(services.jobs);
	const id = `video_${(++made).toString(16).padStart(44, '0')}`;
	// So that deliveries are sorted like their jobs.
	clock.jump(1_000);
	await store.create({
		id,
		kind: 'video',
		tenant,
		principal: 'somebody',
		model: id,
		input: {},
		maxAttempts: 1,
		...(callback ? { callback } : {}),
	});
	const options = { leaseMs: 60_000, count: 1, models: [id] };
	const [claim] = await store.take('video', 'worker', options);
	if (!claim) throw new Error('the job was not claimed');
	await store.complete(id, claim.fence, { result: {}, retentionMs: null });
	const event = { type: 'job.completed', tenant, subject: id, data: null };
	app.service(services.events).publish(event);
	return id;
}

const kinds = definePlugin({
	id: 'kinds',
	config: z.strictObject({}),
	jobs: ['video', 'render'],
	setup({ job }) {
		for (const kind of ['video', 'render']) {
			const models = { slots: () => new Map(), reserve: () => Promise.resolve(false) };
			job(kind, { models, run: async () => ({ result: {} }) });
		}
	},
});
