import { isPlinthError, type UploadedFile } from '@plinth/core';
import { errorOf, formOf } from '@plinth/testing';
import { ReferencedFiles } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { storedFiles, webPictures } from '../../../test/support/stored-files.ts';
import { readReference } from '../src/reference.ts';
import { harness, png } from './harness.ts';

const url = 'data:image/png;base64,AAAA';
const upload: UploadedFile = {
	$kind: 'plinth.upload',
	filename: 'a.png',
	size: 1,
	sha256: '',
	mediaType: 'image/png',
	path: '/nowhere',
	bytes: async () => new Uint8Array(1),
	stream: async function* () {},
};

const { signal } = new AbortController();
const named = new ReferencedFiles(
	{ files: undefined, remoteImages: undefined },
	{
		principal: { id: 'p', tenant: 't', scopes: [] },
		signal,
		keep: () => Promise.reject(new Error('no files are stored')),
	},
);
const brought = (sent: unknown) => readReference(sent, named).load(signal);

function refusal(sent: unknown): { code: unknown; param: unknown } | undefined {
	try {
		readReference(sent, named);
	} catch (error) {
		if (isPlinthError(error)) return { code: error.spec.code, param: error.param };
		throw error;
	}
	return undefined;
}

describe('readReference', () => {
	it('accepts a file, and an object with a data URL', async () => {
		expect(await brought(upload)).toBe(upload);
		expect(await brought({ image_url: upload })).toBe(upload);
		expect(await brought({ image_url: url })).toHaveLength(3);
		expect(await brought({ image_url: url, file_id: null })).toHaveLength(3);
	});

	it.each([
		['a.png', 'invalid_type', 'input_reference'],
		[5, 'invalid_type', 'input_reference'],
		[[upload, upload], 'invalid_value', 'input_reference'],
		[{}, 'missing_required_parameter', 'input_reference.image_url'],
		[{ image_url: 5 }, 'invalid_type', 'input_reference.image_url'],
		[{ image_url: [url, url] }, 'invalid_type', 'input_reference.image_url'],
		[{ image_url: 'http://a/b' }, 'invalid_value', 'input_reference.image_url'],
		[{ image_url: '' }, 'invalid_value', 'input_reference.image_url'],
		[{ file_id: 'file-1' }, 'unsupported_value', 'input_reference.file_id'],
		[{ image_url: url, file_id: 'file-1' }, 'invalid_value', 'input_reference'],
	])('rejects %j', (sent, code, param) => {
		expect(refusal(sent)).toEqual({ code, param });
	});

	it('accepts a data URL of 20,971,520 characters and no more', () => {
		const head = 'data:image/png;base64,';
		const fits = head + 'A'.repeat(20_971_520 - head.length);
		expect(refusal({ image_url: fits })).toBeUndefined();
		expect(refusal({ image_url: `${fits}A` })).toEqual({
			code: 'string_above_max_length',
			param: 'input_reference.image_url',
		});
	});
});

describe('a reference picture', () => {
	const least = { model: 'fake-1', prompt: 'a cat' };
	const address = 'https://example.org/cat.png';
	const backends = {
		files: storedFiles({ 'file-1': png, text: 'no picture' }),
		web: webPictures({ [address]: png }),
	};

	it.each([
		['file_id', 'file-1'],
		['image_url', address],
	])('by %s reaches the model, from JSON and from a form', async (name, value) => {
		const { send, wait, calls } = await harness({}, backends);
		for (const options of [
			{ json: { ...least, input_reference: { [name]: value } } },
			{ form: formOf({ ...least, [`input_reference[${name}]`]: value }) },
		]) {
			const response = await send('POST', '/v1/videos', options);
			const { id } = (await response.json()) as { id: string };
			await wait(id, 'completed');
			const reference = calls.at(-1)?.request.reference;
			expect(Buffer.from((await reference?.bytes()) ?? [])).toEqual(png);
		}
		expect(calls).toHaveLength(2);
	});

	it.each([{ 'idempotency-key': 'k' }, { 'x-stainless-retry-count': '1' }])(
		'may be deleted when a request is repeated with %j',
		async (headers) => {
			const files: Record<string, Uint8Array> = { 'file-1': png };
			const { send } = await harness({}, { files: storedFiles(files) });
			const create = (input_reference: object, more: Record<string, string> = headers) =>
				send('POST', '/v1/videos', { json: { ...least, input_reference }, headers: more });
			const { 'x-stainless-retry-count': _, ...first } = headers;
			const made = (await (await create({ file_id: 'file-1' }, first)).json()) as { id: string };
			delete files['file-1'];
			const again = await create({ file_id: 'file-1' });
			expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
			expect(await again.json()).toMatchObject({ id: made.id });
			// Without a repeated key it is a new request, whose file does not exist.
			const other = await create({ file_id: 'file-1' }, { 'idempotency-key': 'other' });
			expect(await errorOf(other)).toMatchObject({ status: 400, param: 'input_reference.file_id' });
			expect(await (await send('GET', '/v1/videos')).json()).toMatchObject({
				data: [{ id: made.id }],
			});
		},
	);

	it.each([
		[{ file_id: 'file-9' }, 'invalid_value', 'input_reference.file_id'],
		[{ file_id: 'text' }, 'invalid_image', 'input_reference'],
		[{ file_id: { toString: 'x' } }, 'invalid_type', 'input_reference.file_id'],
		[{ file_id: 'file-1', image_url: address }, 'invalid_value', 'input_reference'],
		[{ image_url: 'ftp://example.org/cat.png' }, 'invalid_value', 'input_reference.image_url'],
	])('is rejected before the job is created: %j', async (input_reference, code, param) => {
		const { send, calls } = await harness({}, backends);
		const json = { ...least, input_reference };
		const failure = await errorOf(await send('POST', '/v1/videos', { json }));
		expect(failure).toMatchObject({ status: 400, code, param });
		expect(await (await send('GET', '/v1/videos')).json()).toMatchObject({ data: [] });
		expect(calls).toHaveLength(0);
	});
});
