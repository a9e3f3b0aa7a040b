import type { UploadedFile } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { ReferencedFiles } from '../src/files/referenced-files.ts';
import { imageFromField, imageFromUrl, type SentImageOptions } from '../src/files/sent-image.ts';
import type { FileSource } from '../src/ports/file-source.ts';
import type { FetchingCall, RemoteImages } from '../src/ports/remote-images.ts';

const call: FetchingCall = {
	principal: { id: 'p', tenant: 't', scopes: [] },
	signal: new AbortController().signal,
	keep: () => Promise.reject(new Error('nothing is kept here')),
};
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

const noFiles: FileSource = { open: async () => null };
const remoteImages: RemoteImages = { fetch: async () => upload };
const nothing = new ReferencedFiles({ files: undefined, remoteImages: undefined }, call);
const everything = new ReferencedFiles({ files: noFiles, remoteImages }, call);

function refusal(work: () => unknown): unknown {
	try {
		work();
	} catch (error) {
		const { code, param } = error as { code: string; param: string };
		return [code, param];
	}
	return 'taken';
}

const find = (sent: unknown, named = nothing) => imageFromField(sent, 'image', named);
const url = 'data:image/png;base64,AAAA';
const noText = [{ toString: 'x' }, { toString: null }, {}, [], [{}], 1, true, Object.create(null)];

describe('values that are not a picture', () => {
	test.each(noText.map((value) => [value]))('%o as a data URL', (value) => {
		const options: SentImageOptions = { maxUrlLength: 10 };
		expect(refusal(() => imageFromUrl(value, 'image', nothing, options))).toEqual(['E_VALUE_TYPE', 'image']);
		expect(refusal(() => find({ image_url: value }, everything))).toEqual(['E_VALUE_TYPE', 'image.image_url']);
	});

	test.each(noText.map((value) => [value]))('%o as the id of a file', (value) => {
		expect(refusal(() => find({ file_id: value }, everything))).toEqual(['E_VALUE_TYPE', 'image.file_id']);
		expect(refusal(() => find({ file_id: value }))).toEqual(['E_VALUE_TYPE', 'image.file_id']);
	});

	test.each([[undefined], [null], [1], ['x'], [[]], [true]])('%o as a picture', (value) => {
		expect(refusal(() => find(value))).toEqual(['E_VALUE_TYPE', 'image']);
	});

	test('an object without a picture', () => {
		expect(refusal(() => find({ image_url: null, file_id: null }))).toEqual(['E_VALUE_MISSING', 'image.image_url']);
	});

	test('both alternatives at once, for all servers', () => {
		for (const named of [nothing, everything]) {
			expect(refusal(() => find({ image_url: url, file_id: 'file-1' }, named))).toEqual(['E_VALUE_INVALID', 'image']);
		}
	});

	test('data URLs that are too long', () => {
		const sent = () => imageFromUrl(url, 'image', nothing, { maxUrlLength: 25 });
		expect(refusal(sent)).toEqual(['E_STRING_TOO_LONG', 'image']);
	});

	test('ids and addresses that the server does not support', () => {
		expect(refusal(() => find({ file_id: 'file-1' }))).toEqual(['E_VALUE_UNSUPPORTED', 'image.file_id']);
		expect(refusal(() => find({ image_url: 'https://example.com/a.png' }))).toEqual([
			'E_VALUE_INVALID',
			'image.image_url',
		]);
	});

	test('addresses of other schemes, also when pictures are fetched', () => {
		for (const address of ['ftp://example.com/a.png', 'file:///etc/passwd', '//example.com', '']) {
			expect(refusal(() => find({ image_url: address }, everything))).toEqual(['E_VALUE_INVALID', 'image.image_url']);
		}
	});

	test('addresses that are too long', () => {
		const address = (length: number) => ({ image_url: `https://a.example/`.padEnd(length, 'a') });
		expect(refusal(() => find(address(8_192), everything))).toBe('taken');
		expect(refusal(() => find(address(8_193), everything))).toEqual(['E_STRING_TOO_LONG', 'image.image_url']);
	});
});

test('files and short data URLs are available', async () => {
	expect(await find(upload).load(call.signal)).toBe(upload);
	expect(await find({ image_url: upload, file_id: null }).load(call.signal)).toBe(upload);
	const found = imageFromUrl(url, 'image', nothing, { maxUrlLength: 26 });
	expect(await found.load(call.signal)).toEqual(Buffer.alloc(3));
});

test('an address is fetched', async () => {
	const found = find({ image_url: 'HTTPS://example.com/a.png' }, everything);
	expect(await found.load(call.signal)).toBe(upload);
});
