import { readFile } from 'node:fs/promises';
import { errorOf } from '@plinth/testing';
import { type ImageCodec, mediaError } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { solidPng } from '../../../test/support/png.ts';
import { storedFiles, webPictures } from '../../../test/support/stored-files.ts';
import type { DocumentPart, FilePart, ImagePart } from '../src/model.ts';
import { answerOf, file, type Harness, harness, user } from './harness.ts';

const png = Buffer.from(solidPng(2, 2, [1, 2, 3]));
const address = 'https://example.org/a.png';
const backends = {
	files: storedFiles({ 'file-1': 'Total: 42', 'file-2': 'Due: May', bad: 'broken', pic: png }),
	web: webPictures({ [address]: png, 'https://example.org/page': '<html>' }),
};
const codec = {
	async probe(image) {
		if ('path' in image) return { format: 'png', width: 1, height: 1, hasAlpha: false };
		throw mediaError('E_IMAGE_UNREADABLE');
	},
} as ImageCodec;

const at = 'messages[0].content[0]';
const stored = (file_id: unknown, members: object = {}) => ({
	type: 'file',
	file: { file_id, ...members },
});
const picture = (url: unknown) => ({ type: 'image_url', image_url: { url } });
const pictureMessage = (...parts: object[]) => ({ messages: [user(...parts)] });
const partsOf = <T>({ calls }: Harness) =>
	(calls.at(-1)?.request.messages ?? []).flatMap(({ content }) => content) as T[];

describe('a stored file', () => {
	test('is read like a sent file, with its stored name', async () => {
		const served = await harness({ backends });
		const named = stored('file-2', { filename: 'bill.pdf' });
		await answerOf(await served.ask(pictureMessage(stored('file-1'), named, file('Hi.'))));
		expect(served.texts.sort()).toEqual(['Due: May', 'Hi.', 'Total: 42']);
		expect(partsOf<DocumentPart>(served).map(({ filename }) => filename)).toEqual([
			'file-1.txt',
			'bill.pdf',
			'document.pdf',
		]);
	});

	test('that is named twice becomes two documents', async () => {
		const served = await harness({ backends });
		await answerOf(await served.ask(pictureMessage(stored('file-1'), stored('file-1'))));
		expect(partsOf<DocumentPart>(served).map(({ filename }) => filename)).toEqual(['file-1.txt', 'file-1 (2).txt']);
	});

	test('is passed unchanged to a model that accepts its type', async () => {
		const seen: Buffer[] = [];
		const served = await harness({
			backends,
			abilities: { files: ['image/png'] },
			async *stream(request) {
				const [part] = (request.messages[0]?.content ?? []) as FilePart[];
				if (part && 'path' in part.source) seen.push(await readFile(part.source.path));
				yield { type: 'text', text: 'Seen.' };
			},
		});
		await answerOf(await served.ask(pictureMessage(stored('pic'))));
		expect(seen).toEqual([png]);
		expect(partsOf<FilePart>(served)).toMatchObject([{ type: 'file', filename: 'pic.txt', mediaType: 'image/png' }]);
	});

	test.each<readonly [string, object, string, string]>([
		['unknown', stored('file-9'), 'invalid_value', '.file_id'],
		['no text', stored(7), 'invalid_type', '.file_id'],
		['an object', stored({ toString: 'x' }), 'invalid_type', '.file_id'],
		['beside data', stored('file-1', { file_data: 'SGk=' }), 'invalid_value', ''],
		['beside an address', stored('file-1', { file_url: 'x' }), 'unsupported_value', '.file_url'],
		['damaged', stored('bad'), 'document_unreadable', '.file_id'],
	])('is rejected with its parameter when it is %s', async (_, part, code, member) => {
		const { ask, calls } = await harness({ backends });
		const failure = await errorOf(await ask(pictureMessage(part)));
		expect(failure).toMatchObject({ status: 400, code, param: `${at}.file${member}` });
		expect(calls).toEqual([]);
	});

	test('is rejected by a server that stores no files', async () => {
		const { ask } = await harness();
		expect(await errorOf(await ask(pictureMessage(stored('file-1'))))).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: `${at}.file.file_id`,
			message: expect.stringContaining('@plinth/plugin-files'),
		});
	});

	test('cannot be named as a picture', async () => {
		const { ask } = await harness({ backends });
		expect(await errorOf(await ask(pictureMessage(picture('file-1'))))).toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: `${at}.image_url.url`,
		});
	});
});

describe('a picture given by URL', () => {
	test('is fetched and checked for a model with image input', async () => {
		const served = await harness({ backends, images: codec, abilities: { images: true } });
		await answerOf(await served.ask(pictureMessage(picture(address))));
		expect(partsOf<ImagePart>(served)).toMatchObject([
			{ type: 'image', image: { mediaType: 'image/png', source: { path: expect.any(String) } } },
		]);
	});

	test('is not fetched for a model without image input', async () => {
		const served = await harness({ backends, images: codec });
		const answer = await answerOf(await served.ask(pictureMessage(picture('https://example.org/b.png'))));
		expect(answer.warnings).toEqual([expect.stringContaining('accepts no pictures')]);
	});

	test('is rejected when it is no picture', async () => {
		const images = { probe: () => Promise.reject(mediaError('E_IMAGE_UNREADABLE')) };
		const { ask } = await harness({
			backends,
			images: images as unknown as ImageCodec,
			abilities: { images: true },
		});
		expect(await errorOf(await ask(pictureMessage(picture('https://example.org/page'))))).toMatchObject({
			status: 400,
			code: 'invalid_image',
			param: `${at}.image_url.url`,
		});
	});
});
