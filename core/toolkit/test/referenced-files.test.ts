import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { UploadedFile } from '@plinth/core';
import { plinthError } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { type FileSources, ReferencedFiles } from '../src/files/referenced-files.ts';
import type { SourceFile } from '../src/ports/file-source.ts';
import type { FetchingCall } from '../src/ports/remote-images.ts';

const { signal } = new AbortController();

/** A call that records stored files as text. */
function callOf(kept: string[] = []): FetchingCall {
	return {
		principal: { id: 'p', tenant: 'alice', scopes: [] },
		signal,
		async keep(body, { filename, maxBytes }) {
			const bytes = await buffer(body);
			if (bytes.length > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
			kept.push(bytes.toString());
			return { filename, size: bytes.length } as UploadedFile;
		},
	};
}

function fileOf(id: string, text: string, facts: Partial<SourceFile> = {}): SourceFile {
	return {
		id,
		filename: `${id}.txt`,
		size: text.length,
		mediaType: 'text/plain',
		sha256: '',
		async *stream() {
			yield Buffer.from(text);
		},
		...facts,
	};
}

/** Files of the tenant `alice`, and the number of look-ups. */
function sourcesOf(...files: readonly SourceFile[]) {
	const lookups: string[] = [];
	const found = new Map(files.map((file) => [file.id, file]));
	const sources: FileSources = {
		files: {
			async open(tenant, id) {
				lookups.push(id);
				return tenant === 'alice' ? (found.get(id) ?? null) : null;
			},
		},
		remoteImages: undefined,
	};
	return { sources, lookups, found };
}

describe('a stored file', () => {
	test('is read with its name', async () => {
		const kept: string[] = [];
		const { sources } = sourcesOf(fileOf('file-1', 'hello'));
		const named = new ReferencedFiles(sources, callOf(kept));
		expect(await named.stored('file-1', 'p').load(signal)).toMatchObject({
			filename: 'file-1.txt',
			size: 5,
		});
		expect(kept).toEqual(['hello']);
	});

	test('is read once when a request names it repeatedly', async () => {
		const kept: string[] = [];
		const { sources, lookups } = sourcesOf(fileOf('file-1', 'hello'));
		const named = new ReferencedFiles(sources, callOf(kept));
		const all = await Promise.all([1, 2, 3].map(() => named.stored('file-1', 'p').load(signal)));
		expect(new Set(all).size).toBe(1);
		expect([kept, lookups]).toEqual([['hello'], ['file-1']]);
	});

	test.each([[''], ['file-2'], ['\u0000'], ['../file-1'], ['x'.repeat(100_000)]])(
		'that does not exist is refused: %j',
		async (id) => {
			const { sources } = sourcesOf(fileOf('file-1', 'hello'));
			const named = new ReferencedFiles(sources, callOf());
			const bringing = named.stored(id, 'files[0].file_id').load(signal);
			await expect(bringing).rejects.toMatchObject({
				code: 'E_VALUE_INVALID',
				param: 'files[0].file_id',
				message: `files[0].file_id: there is no file "${id.slice(0, 100)}": it was never uploaded, or it was deleted or has expired.`,
			});
			await expect(named.load(id, signal)).rejects.toMatchObject({ code: 'file_not_found' });
		},
	);

	test('of another tenant does not exist', async () => {
		const { sources } = sourcesOf(fileOf('file-1', 'hello'));
		const principal = { id: 'p', tenant: 'bob', scopes: [] };
		const named = new ReferencedFiles(sources, { ...callOf(), principal });
		await expect(named.load('file-1', signal)).rejects.toMatchObject({ code: 'file_not_found' });
	});

	test('of more than 50 MB is refused before it is read', async () => {
		const huge = fileOf('huge', '', {
			size: 52_428_801,
			stream: () => {
				throw new Error('it was read');
			},
		});
		const { sources } = sourcesOf(huge, fileOf('fits', 'x', { size: 52_428_800 }));
		const named = new ReferencedFiles(sources, callOf());
		await expect(named.stored('huge', 'p').load(signal)).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'p',
			message: 'p: the file "huge" has 52428801 bytes; at most 52428800 are accepted here.',
		});
		await named.load('fits', signal);
	});

	test('counts towards the total size of the files of a request', async () => {
		const { sources } = sourcesOf(fileOf('a', '12345'), fileOf('b', '12345'), fileOf('c', '1'));
		const named = new ReferencedFiles(sources, callOf(), 10);
		await named.load('a', signal);
		await named.load('a', signal);
		await named.load('b', signal);
		await expect(named.stored('c', 'p').load(signal)).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			message: 'p: the files that the request names have more than 10 bytes together.',
		});
	});

	describe('that cannot be read', () => {
		const broken = fileOf('file-1', 'hello', {
			async *stream() {
				yield Buffer.from('hel');
				throw plinthError('E_STORE_UNAVAILABLE');
			},
		});

		test('because it was deleted in the meantime does not exist', async () => {
			const { sources, found } = sourcesOf(broken);
			const named = new ReferencedFiles(sources, callOf());
			const bringing = named.load('file-1', signal);
			found.delete('file-1');
			await expect(bringing).rejects.toMatchObject({ code: 'file_not_found' });
		});

		test('although it exists is a failure of the store', async () => {
			const named = new ReferencedFiles(sourcesOf(broken).sources, callOf());
			await expect(named.stored('file-1', 'p').load(signal)).rejects.toMatchObject({
				code: 'E_STORE_UNAVAILABLE',
			});
		});
	});

	test('is not awaited after the signal aborts', async () => {
		const never: FileSources = {
			files: { open: () => new Promise(() => {}) },
			remoteImages: undefined,
		};
		const stop = new AbortController();
		const bringing = new ReferencedFiles(never, callOf()).load('file-1', stop.signal);
		stop.abort(new Error('the client has left'));
		await expect(bringing).rejects.toThrow('the client has left');
	});

	test('needs a server that stores files', () => {
		const named = new ReferencedFiles({ files: undefined, remoteImages: undefined }, callOf());
		expect(() => named.stored('file-1', 'p')).toThrow('@plinth/plugin-files');
	});
});

describe('a picture behind an address', () => {
	test('is fetched once, for the tenant of the request', async () => {
		const lookups: unknown[] = [];
		const named = new ReferencedFiles(
			{
				files: undefined,
				remoteImages: {
					async fetch(url, param, { principal, keep }) {
						lookups.push([url, param, principal.tenant]);
						return keep(Readable.from([Buffer.from('pixels')]), { filename: '', maxBytes: 10 });
					},
				},
			},
			callOf(),
			6,
		);
		const url = 'https://example.com/a.png';
		const [first, second] = [named.remote(url, 'a'), named.remote(url, 'b')];
		expect(await first.load(signal)).toBe(await second.load(signal));
		expect(lookups).toEqual([[url, 'a', 'alice']]);
		await expect(named.remote(`${url}?2`, 'c').load(signal)).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'c',
			message: 'c: the files that the request names have more than 6 bytes together.',
		});
	});

	test('is not a stored file, although an id may look like it', async () => {
		const url = 'https://example.com/a.png';
		const remoteImages: FileSources['remoteImages'] = {
			fetch: async (_, __, { keep }) => keep(Readable.from([Buffer.from('pixels')]), { filename: '', maxBytes: 10 }),
		};
		const named = new ReferencedFiles({ ...sourcesOf().sources, remoteImages }, callOf());
		const [byId, fetched] = await Promise.allSettled([
			named.stored(url, 'a').load(signal),
			named.remote(url, 'b').load(signal),
		]);
		expect(byId).toMatchObject({ reason: { code: 'E_VALUE_INVALID', param: 'a' } });
		expect(fetched).toMatchObject({ value: { size: 6 } });
	});

	test('needs a server that fetches', () => {
		const named = new ReferencedFiles(sourcesOf().sources, callOf());
		expect(named.canFetch).toBe(false);
		expect(() => named.remote('https://example.com/', 'p')).toThrow('does not fetch pictures');
	});
});
