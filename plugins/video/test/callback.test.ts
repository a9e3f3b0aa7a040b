import { defineBackend, invalidValue, type JobStore, services } from '@plinth/core';
import { errorOf, formOf } from '@plinth/testing';
import { type JobCallbacks, mediaServices } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Harness, harness } from './harness.ts';

const least = { model: 'fake-1', prompt: 'a cat' };
const url = 'https://client.example/hook';
const secret = `whsec_${'c2VjcmV0'.repeat(4)}`;

/** Starts an app with a callback service, and records its calls. */
async function withCallbacks() {
	const received: unknown[] = [];
	const callbacks = defineBackend({
		name: 'fakeCallbacks',
		provides: mediaServices.callbacks,
		config: z.strictObject({}),
		create: (): JobCallbacks => ({
			async check(callback) {
				received.push(callback);
				if (callback.url.startsWith('http:')) {
					throw invalidValue('callback_url', 'callback_url: https is expected.');
				}
			},
		}),
	});
	return { h: await harness({}, { callbacks: callbacks() }), asked: received };
}

/** The callback that a job sends at its end. */
async function toldAt({ app }: Harness, id: string): Promise<unknown> {
	const store: JobStore = app.service(services.jobs);
	const { events } = await store.events(undefined, { jobId: id, limit: 10 });
	return events.at(-1)?.data.callback;
}

describe('callback_url', () => {
	it('is sent at the end of the job, given as JSON or in a form, and is checked when the job is created', async () => {
		const { h, asked } = await withCallbacks();
		const fields = { ...least, callback_url: url, callback_secret: secret };
		for (const body of [{ json: fields }, { form: formOf(fields) }]) {
			const answer = await h.send('POST', '/v1/videos', body);
			const text = await answer.text();
			expect(answer.status).toBe(201);
			expect(text).not.toContain(secret);
			const { id } = JSON.parse(text) as { id: string };
			await h.wait(id, 'completed');
			expect(await toldAt(h, id)).toEqual({ url, secret });
		}
		expect(asked).toEqual([
			{ url, secret },
			{ url, secret },
		]);
	});

	it('may be given for a remix, and without a secret', async () => {
		const { h } = await withCallbacks();
		const { id } = await h.finish();
		const json = { prompt: 'again', callback_url: url };
		const answer = await h.send('POST', `/v1/videos/${id}/remix`, { json });
		const { id: made } = (await answer.json()) as { id: string };
		await h.wait(made, 'completed');
		expect(await toldAt(h, made)).toEqual({ url, secret: null });
		expect(await toldAt(h, id)).toBeUndefined();
	});

	it('that is rejected creates no job', async () => {
		const { h } = await withCallbacks();
		const json = { ...least, callback_url: 'http://client.example' };
		const answer = await h.send('POST', '/v1/videos', { json });
		expect(await errorOf(answer)).toMatchObject({ status: 400, param: 'callback_url' });
		const page = (await (await h.send('GET', '/v1/videos')).json()) as { data: unknown[] };
		expect(page.data).toEqual([]);
	});

	it.each([
		[{ callback_secret: secret }, 'callback_secret', 'invalid_value'],
		[{ callback_url: 7 }, 'callback_url', 'invalid_type'],
		[{ callback_url: `https://${'x'.repeat(2_048)}` }, 'callback_url', 'string_above_max_length'],
		[{ callback_url: url, callback_secret: 'x'.repeat(201) }, 'callback_secret', 'string_above_max_length'],
		[{ callback_url: url, callback_secret: { toString: 1 } }, 'callback_secret', 'invalid_type'],
	])('is rejected when it is invalid: %#', async (fields, param, code) => {
		const { h } = await withCallbacks();
		const { id } = await h.finish();
		for (const path of ['/v1/videos', `/v1/videos/${id}/remix`]) {
			const answer = await h.send('POST', path, { json: { ...least, ...fields } });
			const { message, ...rest } = await errorOf(answer);
			expect(rest).toMatchObject({ status: 400, code, param });
			expect(message).not.toContain(secret);
		}
	});

	it('is unsupported without a callback service', async () => {
		const h = await harness();
		const answer = await h.send('POST', '/v1/videos', { json: { ...least, callback_url: url } });
		expect(await errorOf(answer)).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: 'callback_url',
			message: expect.stringContaining('webhooks plugin'),
		});
	});
});
