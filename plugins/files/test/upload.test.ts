import { createHash } from 'node:crypto';
import { errorOf, type FormFields } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { bytes, contents, harness } from './harness.ts';

const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

describe('POST /v1/files', () => {
	it('returns the file object, whose type is detected from the content', async () => {
		const h = await harness();
		const file = new File([png], '../secret/pixel.html', { type: 'text/html' });
		const answer = await h.upload({ file, purpose: 'vision' });
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual({
			id: expect.stringMatching(/^file-[0-9a-f]{44}$/),
			object: 'file',
			bytes: png.length,
			created_at: h.clock.now() / 1000,
			filename: 'pixel.html',
			purpose: 'vision',
			status: 'processed',
			media_type: 'image/png',
		});
	});

	it('stores the bytes under the id', async () => {
		const h = await harness();
		const { id } = await h.stored({ file: png });
		expect(await contents(h.stores)).toEqual({
			states: { [id]: 'ready' },
			blobs: [`files/${id}`],
		});
		const blob = await h.stores.blobs.head(`files/${id}`);
		const sha256 = createHash('sha256').update(png).digest('hex');
		expect(blob).toMatchObject({ size: png.length, etag: sha256, contentType: 'image/png' });
	});

	it.each(['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'])(
		'takes files for %s',
		async (purpose) => {
			expect((await (await harness()).stored({ purpose })).purpose).toBe(purpose);
		},
	);

	it('computes the expiry from the second of the creation', async () => {
		const h = await harness();
		await h.clock.advance(900);
		const file = await h.stored({
			'expires_after[anchor]': 'created_at',
			'expires_after[seconds]': '3600',
		});
		expect(file.expires_at).toBe(file.created_at + 3_600);
	});

	it('names a file without a name', async () => {
		const h = await harness();
		expect((await h.stored({ file: new File([png], '..') })).filename).toBe('unnamed');
	});

	it('stores each upload as its own file, also with equal content', async () => {
		const h = await harness();
		const [one, other] = [await h.stored(), await h.stored()];
		expect(one.id).not.toBe(other.id);
		expect((await contents(h.stores)).blobs).toHaveLength(2);
	});

	const expiry = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
	it.each<[string, FormFields, number, string, string]>([
		['an empty file', { file: bytes('') }, 400, 'invalid_value', 'file'],
		['text instead of the file', { file: 'text' }, 400, 'invalid_type', 'file'],
		['an unknown purpose', { purpose: 'fun' }, 400, 'invalid_value', 'purpose'],
		[
			'another anchor',
			{ ...expiry, 'expires_after[anchor]': 'last_active_at' },
			400,
			'invalid_value',
			'expires_after.anchor',
		],
		['no anchor', { 'expires_after[seconds]': '3600' }, 400, 'missing_required_parameter', 'expires_after.anchor'],
		[
			'less than an hour',
			{ ...expiry, 'expires_after[seconds]': '3599' },
			400,
			'integer_below_min_value',
			'expires_after.seconds',
		],
		[
			'more than 30 days',
			{ ...expiry, 'expires_after[seconds]': '2592001' },
			400,
			'integer_above_max_value',
			'expires_after.seconds',
		],
		[
			'a part of a second',
			{ ...expiry, 'expires_after[seconds]': '3600.5' },
			400,
			'invalid_type',
			'expires_after.seconds',
		],
		['a text as expiry', { expires_after: 'soon' }, 400, 'invalid_type', 'expires_after'],
	])('rejects %s', async (_, fields, status, code, param) => {
		const h = await harness();
		expect(await errorOf(await h.upload(fields))).toMatchObject({ status, code, param });
		expect(await contents(h.stores)).toEqual({ states: {}, blobs: [] });
	});

	it.each(['file', 'purpose'])('rejects a form without %s', async (missing) => {
		const h = await harness();
		const form = new FormData();
		if (missing === 'purpose') form.set('file', new Blob([png]), 'a.png');
		else form.set('purpose', 'vision');
		const answer = await h.send('POST', '/v1/files', { body: form });
		expect(await errorOf(answer)).toMatchObject({
			status: 400,
			code: 'missing_required_parameter',
			param: missing,
		});
	});

	it('accepts one file, and no JSON', async () => {
		const h = await harness();
		const two = await h.upload({ file: png, another: png });
		expect(await errorOf(two)).toMatchObject({ status: 413, code: 'request_too_large' });
		const json = await h.send('POST', '/v1/files', {
			headers: { 'content-type': 'application/json' },
			body: '{"purpose":"vision"}',
		});
		expect(await errorOf(json)).toMatchObject({ status: 415 });
	});

	it('requires the scope files:write', async () => {
		const h = await harness();
		const answer = await h.upload({}, 'alice.files:read');
		expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'insufficient_permissions' });
		expect((await h.upload({}, 'alice.files:write')).status).toBe(200);
	});
});
