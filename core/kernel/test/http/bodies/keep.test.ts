import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Call, defineRoute, type Middleware, type Route } from '../../../src/contract/http/route.ts';
import { fileField, isUpload, type UploadedFile } from '../../../src/contract/http/upload.ts';
import { Reply } from '../../../src/index.ts';
import { auth, errorOf, eventually, listening, privateTemp, rawConnection, request, testServer } from '../support.ts';

const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

const named = { filename: 'a.png', maxBytes: 1_000 };

/** A route whose handler is the task. */
function keepRoute(task: (call: Call) => unknown, more: Partial<Route> = {}): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/kept',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		...more,
		handler: (_, call) => task(call),
	});
}

async function* pieces(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const read: Uint8Array[] = [];
	for await (const chunk of chunks) read.push(chunk);
	return Buffer.concat(read);
}

/** A source that stays silentSource after its first chunk, and reports whether it was closed. */
function silentSource() {
	const seen = { asked: 0, isLetGo: false };
	const source: AsyncIterable<Uint8Array> = {
		[Symbol.asyncIterator]: () => ({
			next() {
				seen.asked += 1;
				if (seen.asked > 1) return new Promise(() => {});
				return Promise.resolve({ done: false, value: png });
			},
			async return() {
				seen.isLetGo = true;
				return { done: true, value: undefined };
			},
		}),
	};
	return { seen, source };
}

const exists = (path: string) => stat(path).then(Boolean, () => false);

describe('a file that a handler stores with keep', () => {
	it('is an upload with all metadata, private to the user, and is deleted after the response', async () => {
		const tempFiles = await privateTemp();
		let path = '';
		const route = keepRoute(async (call) => {
			const source = pieces(png.subarray(0, 9), new Uint8Array(), png.subarray(9));
			const file = await call.keep(source, { filename: '../x/a.png', maxBytes: png.length });
			path = file.path;
			const { filename, size, sha256, mediaType } = file;
			const modes = [await stat(file.path), await stat(dirname(file.path))];
			return {
				facts: { filename, size, sha256, mediaType },
				isTaken: isUpload(file) && fileField().safeParse(file).success,
				isSame: png.equals(await file.bytes()) && png.equals(await joined(file.stream())),
				modes: modes.map(({ mode }) => mode & 0o777),
			};
		});
		const answer = await testServer([route]).send('/v1/kept');
		expect(await answer.json()).toEqual({
			facts: {
				filename: 'a.png',
				size: png.length,
				sha256: createHash('sha256').update(png).digest('hex'),
				mediaType: 'image/png',
			},
			isTaken: true,
			isSame: true,
			modes: [0o600, 0o700],
		});
		expect(path).toContain(tmpdir());
		expect(await tempFiles()).toEqual([]);
	});

	it('may be empty, large, and one of several', async () => {
		const tempFiles = await privateTemp();
		const large = Buffer.alloc(3_000_000, 'x');
		const route = keepRoute(async (call) => {
			const files = await Promise.all([
				call.keep(pieces(), named),
				call.keep(pieces(large), { filename: 'b', maxBytes: large.length }),
				call.keep(pieces(png), named),
			]);
			const contents = await Promise.all(files.map((file) => readFile(file.path)));
			return contents.map((bytes, i) => bytes.equals([Buffer.alloc(0), large, png][i] ?? large));
		});
		expect(await (await testServer([route]).send('/v1/kept')).json()).toEqual([true, true, true]);
		expect(await tempFiles()).toEqual([]);
	});

	it('is stored with the uploads of a form, and is deleted with them', async () => {
		const tempFiles = await privateTemp();
		const route = keepRoute(
			async (call) => {
				const { path } = await call.keep(pieces(png), named);
				return { kept: await exists(path), folders: (await tempFiles()).length };
			},
			{ method: 'POST', encoding: 'multipart', body: z.object({ image: fileField() }) },
		);
		const form = new FormData();
		form.set('image', new Blob([png]), 'b.png');
		const answer = await testServer([route]).send('/v1/kept', { method: 'POST', body: form });
		expect(await answer.json()).toEqual({ kept: true, folders: 2 });
		expect(await tempFiles()).toEqual([]);
	});

	it('is kept until the events of the response end, which may store more files', async () => {
		const tempFiles = await privateTemp();
		const route = keepRoute(async (call) => {
			const first = await call.keep(pieces(png), named);
			return Reply.events(
				(async function* () {
					const second = await call.keep(pieces(png), named);
					yield { data: [await exists(first.path), await exists(second.path)] };
				})(),
			);
		});
		const answer = await testServer([route]).send('/v1/kept');
		expect(await answer.text()).toContain('data: [true,true]');
		await eventually(async () => (await tempFiles()).length === 0);
	});

	it('is stored as it was hashed when its source reuses the memory of its chunks', async () => {
		async function* reusing() {
			const chunk = Buffer.alloc(1_000);
			for (let i = 0; i < 10; i++) yield chunk.fill(i);
		}
		const route = keepRoute(async (call) => {
			const file = await call.keep(reusing(), { filename: 'a', maxBytes: 10_000 });
			return (
				file.sha256 ===
				createHash('sha256')
					.update(await file.bytes())
					.digest('hex')
			);
		});
		expect(await (await testServer([route]).send('/v1/kept')).json()).toBe(true);
	});

	it('can be stored through a copy of the call', async () => {
		const route = keepRoute(async (call) => (await { ...call }.keep(pieces(png), named)).size);
		expect(await (await testServer([route]).send('/v1/kept')).json()).toBe(png.length);
	});
});

describe('a file that is stored before the handler is called', () => {
	const refusal = new Error('no');

	it('is deleted when the precheck throws', async () => {
		const tempFiles = await privateTemp();
		const precheck = async (call: Call) => {
			await call.keep(pieces(png), named);
			throw refusal;
		};
		expect((await testServer([keepRoute(() => {}, { precheck })]).send('/v1/kept')).status).toBe(500);
		expect(await tempFiles()).toEqual([]);
	});

	it.each([
		['throws', () => Promise.reject(refusal), 500],
		['responds itself', () => Reply.empty(), 204],
	] as const)('is deleted when a middleware %s', async (_, end, status) => {
		const tempFiles = await privateTemp();
		const keeping: Middleware = async (call) => {
			await call.keep(pieces(png), named);
			return end();
		};
		const server = testServer([keepRoute(() => {})], { middlewares: [(_call, next) => next(), keeping] });
		expect((await server.send('/v1/kept')).status).toBe(status);
		expect(await tempFiles()).toEqual([]);
	});

	it('can be read by the events with which a middleware responds', async () => {
		const tempFiles = await privateTemp();
		const keeping: Middleware = async (call) => {
			const file = await call.keep(pieces(png), named);
			async function* events() {
				yield { data: (await file.bytes()).length };
			}
			return Reply.events(events());
		};
		const answer = await testServer([keepRoute(() => {})], { middlewares: [keeping] }).send('/v1/kept');
		expect(await answer.text()).toContain(`data: ${png.length}\n`);
		await eventually(async () => (await tempFiles()).length === 0);
	});

	it('can be read by the handler', async () => {
		const kept: UploadedFile[] = [];
		const keeping: Middleware = async (call, next) => {
			kept.push(await call.keep(pieces(png), named));
			return next();
		};
		const route = keepRoute(async () => png.equals((await kept[0]?.bytes()) as Uint8Array));
		expect(await (await testServer([route], { middlewares: [keeping] }).send('/v1/kept')).json()).toBe(true);
	});
});

describe('a file that cannot be stored', () => {
	it('is refused while it arrives and deleted, and other files stay', async () => {
		const tempFiles = await privateTemp();
		const { seen, source } = silentSource();
		const route = keepRoute(async (call) => {
			const good = await call.keep(pieces(png), named);
			const refusal = await call
				.keep(source, { filename: 'b', maxBytes: png.length - 1 })
				.catch((error: unknown) => error);
			expect([await tempFiles(), await exists(good.path)]).toEqual([[expect.anything()], true]);
			throw refusal;
		});
		const answer = await testServer([route]).send('/v1/kept');
		expect(await errorOf(answer)).toMatchObject({ status: 413, code: 'request_too_large' });
		expect(seen).toEqual({ asked: 1, isLetGo: true });
		expect(await tempFiles()).toEqual([]);
	});

	it('rejects with the error of the source', async () => {
		const tempFiles = await privateTemp();
		const failure = new Error('cut off');
		async function* broken() {
			yield png;
			throw failure;
		}
		const route = keepRoute(async (call) => {
			const error = await call.keep(broken(), named).catch((reason: unknown) => reason);
			const [folder = ''] = await tempFiles();
			return [error === failure, await readdir(join(tmpdir(), folder))];
		});
		expect(await (await testServer([route]).send('/v1/kept')).json()).toEqual([true, []]);
	});

	it('rejects and closes its source when the disk cannot be written', async () => {
		await privateTemp();
		process.env.TMPDIR = '/dev/null';
		const ended = Promise.withResolvers<void>();
		async function* endless() {
			try {
				for (;;) yield Buffer.alloc(100_000);
			} finally {
				ended.resolve();
			}
		}
		const route = keepRoute((call) => call.keep(endless(), { filename: 'b', maxBytes: 1e9 }).catch(({ code }) => code));
		expect(await (await testServer([route]).send('/v1/kept')).json()).toBe('ENOTDIR');
		await ended.promise;
	});

	it('is aborted when the handler fails', async () => {
		const tempFiles = await privateTemp();
		const { seen, source } = silentSource();
		let kept: Promise<UploadedFile> | undefined;
		const route = keepRoute(async (call) => {
			kept = call.keep(source, named);
			kept.catch(() => {});
			await eventually(async () => (await tempFiles()).length > 0);
			throw new Error('something else');
		});
		const answer = await testServer([route]).send('/v1/kept');
		expect(answer.status).toBe(500);
		await expect(kept).rejects.toThrow('The request has ended');
		expect(seen.isLetGo).toBe(true);
		expect(await tempFiles()).toEqual([]);
	});

	it('is aborted when the client disconnects, also while the source is silent', async () => {
		const tempFiles = await privateTemp();
		const { seen, source } = silentSource();
		const reason = Promise.withResolvers<unknown>();
		const route = keepRoute((call) => call.keep(source, named).catch(reason.resolve));
		const { port } = await listening([route]);
		const client = await rawConnection(port);
		await client.write(request('GET /v1/kept', auth));
		await eventually(async () => seen.asked > 1 && (await tempFiles()).length > 0);
		client.socket.destroy();
		expect(await reason.promise).toMatchObject({ name: 'AbortError' });
		expect(seen.isLetGo).toBe(true);
		await eventually(async () => (await tempFiles()).length === 0);
	});

	describe('the space of stored files', () => {
		const most = { filename: 'b', maxBytes: 600 };
		const limits = { inFlightBytes: 1_000, requestsPerTenant: 9, streamsPerTenant: 9, streams: 9 };

		/** Stores files with the given maximum sizes one after the other, and responds on demand. */
		function holding(...sizes: readonly number[]) {
			const [kept, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			const route = keepRoute(async (call) => {
				for (const maxBytes of sizes) await call.keep(pieces(png), { filename: 'a', maxBytes });
				kept.resolve();
				await done.promise;
			});
			return { route: { ...route, path: '/v1/held' } as Route, kept: kept.promise, done };
		}

		it('is counted together with other requests, until they end', async () => {
			const first = holding(600);
			const server = testServer([first.route, keepRoute((call) => call.keep(pieces(png), most))], {
				load: limits,
			});
			const held = server.send('/v1/held');
			await first.kept;
			const refused = await server.send('/v1/kept');
			expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'server_overloaded' });
			first.done.resolve();
			expect((await held).status).toBe(204);
			await eventually(async () => (await server.send('/v1/kept')).status === 200);
		});

		it('does not limit the only request', async () => {
			const only = holding(600, 600, Infinity);
			const server = testServer([only.route], { load: limits });
			only.done.resolve();
			// Twice: a body without a length must not corrupt the sum for later requests.
			for (let i = 0; i < 2; i++) expect((await server.send('/v1/held')).status).toBe(204);
		});
	});

	it('is refused after the handler has settled', async () => {
		const tempFiles = await privateTemp();
		const calls: Call[] = [];
		const route = keepRoute((call) => {
			calls.push(call);
			return 'done';
		});
		await testServer([route]).send('/v1/kept');
		await expect(calls[0]?.keep(pieces(png), named)).rejects.toThrow('The request has ended');
		expect(await tempFiles()).toEqual([]);
	});
});
