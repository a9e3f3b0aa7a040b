import { defineBackend, plinthError } from '@plinth/core';
import { errorOf } from '@plinth/testing';
import { type FileSource, mediaServices } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { storedFiles } from '../../../test/support/stored-files.ts';
import { resultsOf, sent, textsOf } from './documents.ts';
import { harness } from './harness.ts';

const backends = { files: storedFiles({ 'file-1': 'first', 'file-2': 'second' }) };
const both = { file_id: 'file-1', url: 'SGk=' };

describe('a stored document', () => {
	it('is read like a sent file, with its stored name', async () => {
		const { parse } = await harness({}, backends);
		const files = [{ file_id: 'file-1' }, sent('third'), { file_id: 'file-2', filename: 'b.md' }];
		const results = await resultsOf(await parse({ files }));
		expect(results.map(({ filename }) => filename)).toEqual(['file-1.txt', undefined, 'b.md']);
		expect(await textsOf(await parse({ files }))).toEqual(['first', 'third', 'second']);
	});

	it('is loaded once, however often a request names it', async () => {
		const { calls, parse } = await harness({}, backends);
		const files = [{ file_id: 'file-1' }, { file_id: 'file-1', url: null }];
		expect(await textsOf(await parse({ files }))).toEqual(['first', 'first']);
		expect(new Set(calls.map(({ document }) => 'path' in document && document.path)).size).toBe(1);
	});

	it('that does not exist has its own error, and the other documents are read', async () => {
		const { parse } = await harness({}, backends);
		const ids = ['file-9', 'file-1', '', '../file-1'];
		const files = ids.map((file_id, index) => ({ file_id, filename: `${index}.txt` }));
		const results = await resultsOf(await parse({ files }));
		expect(results.map(({ error }) => error?.code)).toEqual([
			'file_not_found',
			undefined,
			'file_not_found',
			'file_not_found',
		]);
		expect(results[0]).toMatchObject({
			filename: '0.txt',
			content: {},
			error: { message: expect.stringMatching(/^files\[0\]\.file_id: there is no file "file-9"/) },
		});
	});

	it('that the store cannot read has its own error', async () => {
		const source: FileSource = { open: () => Promise.reject(plinthError('E_STORE_UNAVAILABLE')) };
		const files = defineBackend({
			name: 'away',
			provides: mediaServices.files,
			config: z.strictObject({}),
			create: () => source,
		})();
		const { parse } = await harness({}, { files });
		const answer = await parse({ files: [{ file_id: 'file-1' }, sent('second')] });
		const [first, second] = await resultsOf(answer);
		expect(first?.error?.code).toBe('storage_unavailable');
		expect(second?.error).toBeUndefined();
	});

	it.each([
		['beside url', both, 'invalid_value', 'files[0]'],
		['as a number', { file_id: 5 }, 'invalid_type', 'files[0].file_id'],
		['as an object', { file_id: { toString: 'x' } }, 'invalid_type', 'files[0].file_id'],
		['in a list', { file_id: ['file-1'] }, 'invalid_type', 'files[0].file_id'],
		['with a number for filename', { file_id: 'file-1', filename: 1 }, 'invalid_type', 'files[0].filename'],
	])('is rejected %s', async (_, file, code, param) => {
		const { calls, parse } = await harness({}, backends);
		const failure = await errorOf(await parse({ files: [file, sent('x')] }));
		expect(failure).toMatchObject({ status: 400, code, param });
		expect(calls).toEqual([]);
	});
});
