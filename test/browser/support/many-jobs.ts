import { randomBytes } from 'node:crypto';
import { type JobStore, services } from '@plinth/core';
import { bootEmbedded } from '../../support/serve.ts';

const batch = 500;

/** Writes ended video jobs of the tenant of the browser tests into a data directory, as real requests do. */
export async function writeJobs(dataDir: string, count: number): Promise<void> {
	const { app, stop } = await bootEmbedded({ dataDir, keys: 'browser:the-key-of-the-browser-tests', role: 'api' });
	await app.start();
	try {
		const store = app.service(services.jobs);
		const first = Date.now() - count * 1_000;
		for (let done = 0; done < count; done += batch) {
			const numbers = Array.from({ length: Math.min(batch, count - done) }, (_, index) => done + index);
			await Promise.all(numbers.map((number) => create(store, number, first + number * 1_000)));
			await finish(store);
		}
	} finally {
		await stop();
	}
}

function create(store: JobStore, number: number, at: number): Promise<unknown> {
	return store.create({
		id: `video_${at.toString(16).padStart(12, '0')}${randomBytes(16).toString('hex')}`,
		kind: 'video',
		tenant: 'browser',
		principal: 'browser',
		model: 'scripted',
		maxAttempts: 1,
		input: { prompt: `Scene ${number} of the film`, seconds: 4, size: '640x480', reference: null, remixOf: null },
	});
}

/** Every tenth job fails. */
async function finish(store: JobStore): Promise<void> {
	const video = { key: 'none', mediaType: 'video/mp4', size: 1, sha256: '0'.repeat(64) };
	const completion = { result: { video, poster: null, warnings: [] }, retentionMs: 86_400_000 };
	for (;;) {
		const claims = await store.take('video', 'writer', { leaseMs: 60_000, count: batch });
		if (claims.length === 0) return;
		await Promise.all(
			claims.map(({ job: { id, input }, fence }) => {
				const { prompt } = input as { prompt: string };
				if (!/0 of/.test(prompt)) return store.complete(id, fence, completion);
				return store.fail(id, fence, { code: 'model_error', message: 'The ending is missing.' });
			}),
		);
	}
}
