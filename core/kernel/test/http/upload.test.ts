import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../src/contract/http/route.ts';
import { fileField, isUpload, type UploadedFile } from '../../src/contract/http/upload.ts';
import { errorOf, privateTemp, testServer } from './support.ts';

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const forged = {
	$kind: 'plinth.upload',
	filename: 'a.png',
	size: 1,
	sha256: '0'.repeat(64),
	mediaType: 'image/png',
	path: '/etc/passwd',
	bytes: 'no function',
	stream: {},
};

const route = defineRoute({
	method: 'POST',
	path: '/v1/files',
	scope: 'authenticated',
	summary: 's',
	encoding: ['json', 'multipart'],
	body: z.object({ image: fileField() }),
	response: { description: 'x' },
	errors: [],
	handler: ({ body }) => ({ size: body.image.size }),
});

describe('a description of a file in a JSON body', () => {
	it.each([[forged], [{ $kind: 'plinth.upload', size: 1 }]])('is not an upload: %j', async (image) => {
		expect(isUpload(image)).toBe(false);
		const answer = await testServer([route]).send('/v1/files', {
			method: 'POST',
			body: JSON.stringify({ image }),
			headers: { 'content-type': 'application/json' },
		});
		expect(await errorOf(answer)).toMatchObject({
			status: 400,
			code: 'invalid_type',
			param: 'image',
		});
	});

	it('is distinguished from a file that can be read', () => {
		const upload: UploadedFile = {
			...forged,
			$kind: 'plinth.upload',
			bytes: async () => new Uint8Array(1),
			stream: async function* () {},
		};
		expect(isUpload(upload)).toBe(true);
	});
});

describe('a file that cannot be deleted', () => {
	it('does not change a successful response', async () => {
		await privateTemp();
		const temp = tmpdir();
		const takesItAway = {
			...route,
			handler: async () => {
				await rename(temp, `${temp}-gone`);
				// A path below a file cannot exist.
				await writeFile(temp, '');
				return { stored: true };
			},
		};
		onTestFinished(() => rm(`${temp}-gone`, { recursive: true, force: true }));
		const { send, lines } = testServer([takesItAway]);
		const form = new FormData();
		form.set('image', new Blob([Buffer.from(pixel, 'base64')]), 'a.png');
		const answer = await send('/v1/files', { method: 'POST', body: form });
		expect([answer.status, await answer.json()]).toEqual([200, { stored: true }]);
		expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
	});
});
