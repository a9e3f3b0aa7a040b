import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { fileField } from '../../../src/contract/http/upload.ts';
import { type BufferedWriterTarget, writeBuffered } from '../../../src/http/bodies/files/buffered-writer.ts';
import { bufferBytes } from '../../../src/http/buffers.ts';
import { auth, eventually, testServer } from '../support.ts';

/** Keeps what it was given, at its own pace. */
class Collector implements BufferedWriterTarget {
	readonly ownsChunks: boolean;
	readonly pieces: Buffer[] = [];
	seen = 0;
	underWay = 0;
	mostUnderWay = 0;
	pass: () => Promise<unknown> = () => new Promise((resolve) => setImmediate(resolve));

	constructor(ownsChunks = false) {
		this.ownsChunks = ownsChunks;
	}

	look(chunk: Buffer): void {
		this.seen += chunk.length;
	}

	async write(bytes: Buffer): Promise<void> {
		this.underWay += 1;
		this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
		await this.pass();
		// As late as a disk may read it.
		this.pieces.push(Buffer.from(bytes));
		this.underWay -= 1;
	}
}

/** Chunks of different sizes, each with memory of its own, and all of their bytes. */
function chunksOf(sizes: readonly number[]): { chunks: Buffer[]; all: Buffer } {
	const chunks = sizes.map((size, i) => Buffer.alloc(size, `chunk ${i}; `));
	return { chunks, all: Buffer.concat(chunks) };
}

const manySizes = Array.from({ length: 90 }, (_, i) => 1 + ((i * 7_919) % 65_536));

describe('a stream that is gathered', () => {
	it.each([
		['many chunks', manySizes],
		['chunks that fill buffers exactly', [bufferBytes / 2, bufferBytes / 2, bufferBytes]],
		['a chunk larger than many buffers', [10, 9 * bufferBytes + 5, 10]],
		['one byte', [1]],
		['nothing', []],
	])('keeps its bytes, in few pieces that are written one by one: %s', async (_, sizes) => {
		for (const ownsChunks of [false, true]) {
			const { chunks, all } = chunksOf(sizes);
			const collector = new Collector(ownsChunks);
			await writeBuffered(Readable.from(chunks), collector);
			expect(Buffer.concat(collector.pieces).equals(all)).toBe(true);
			expect(collector.seen).toBe(all.length);
			expect(collector.pieces.length).toBe(Math.ceil(all.length / bufferBytes));
			expect(collector.mostUnderWay).toBeLessThanOrEqual(1);
		}
	});

	it('waits while two buffers are full', async () => {
		const stream = new PassThrough();
		const collector = new Collector();
		const stuck = Promise.withResolvers<void>();
		collector.pass = () => stuck.promise;
		const gathered = writeBuffered(stream, collector);
		const { chunks, all } = chunksOf(Array(40).fill(65_536));
		for (const chunk of chunks) stream.write(chunk);
		stream.end();
		await eventually(() => stream.isPaused());
		expect(collector.seen).toBeLessThanOrEqual(2 * bufferBytes + 65_536);
		stuck.resolve();
		await gathered;
		expect(Buffer.concat(collector.pieces).equals(all)).toBe(true);
	});

	it('leaves the memory of its chunks alone, unless it is theirs', async () => {
		const shared = Buffer.alloc(100_000, 'shared');
		const { chunks } = chunksOf([50_000, 50_000, 50_000]);
		await writeBuffered(Readable.from(chunks), new Collector(false));
		expect(chunks.map(({ length }) => length)).toEqual([50_000, 50_000, 50_000]);
		const slices = [shared.subarray(0, 50_000), shared.subarray(50_000)];
		await writeBuffered(Readable.from([...slices, ...chunks]), new Collector(true));
		expect(slices.map(({ length }) => length)).toEqual([50_000, 50_000]);
		// The last one may still be in somebody's hands.
		expect(chunks.map(({ length }) => length)).toEqual([0, 0, 50_000]);
	});

	it('fails as the writer does', async () => {
		const collector = new Collector();
		collector.pass = () => Promise.reject(new Error('no room'));
		const stream = new PassThrough();
		stream.write(Buffer.alloc(bufferBytes + 1));
		await expect(writeBuffered(stream, collector)).rejects.toThrow('no room');
		expect(stream.destroyed).toBe(true);
		const short = Readable.from([Buffer.from('x')]);
		await expect(writeBuffered(short, collector)).rejects.toThrow('no room');
	});

	it.each([
		['fails', (stream: PassThrough) => stream.destroy(new Error('broken')), 'broken'],
		['is broken off', (stream: PassThrough) => stream.destroy(), 'ended early'],
	])('rejects when the stream %s, and not before the last write has ended', async (_, end, text) => {
		const stream = new PassThrough();
		const collector = new Collector();
		const stuck = Promise.withResolvers<void>();
		collector.pass = () => stuck.promise;
		let isOver = false;
		const gathered = writeBuffered(stream, collector).finally(() => {
			isOver = true;
		});
		const rejected = expect(gathered).rejects.toThrow(text);
		stream.write(Buffer.alloc(bufferBytes + 1));
		await eventually(() => collector.underWay === 1);
		const closed = new Promise((resolve) => stream.once('close', resolve));
		end(stream);
		await closed;
		await new Promise((resolve) => setImmediate(resolve));
		expect(isOver).toBe(false);
		stuck.resolve();
		await rejected;
		expect(collector.pieces).toHaveLength(1);
	});
});

describe('an upload whose bytes others have in hand', () => {
	const route = defineRoute({
		method: 'POST',
		path: '/v1/files',
		scope: 'authenticated',
		summary: 's',
		encoding: 'multipart',
		body: z.object({ file: fileField() }),
		response: { description: 'x' },
		errors: [],
		handler: ({ body }) => ({ size: body.file.size }),
	});
	const head = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n');
	const { chunks, all } = chunksOf(Array(20).fill(60_000));
	const parts = [head, ...chunks, Buffer.from('\r\n--b--\r\n')];
	const body = Buffer.concat(parts);
	const headers = { ...auth, 'content-type': 'multipart/form-data; boundary=b' };

	it('leaves them to a caller who carries the request himself', async () => {
		const stream = new ReadableStream({
			start(controller) {
				for (const part of parts) controller.enqueue(part);
				controller.close();
			},
		});
		const { send } = testServer([route]);
		const init = { method: 'POST', headers, body: stream, duplex: 'half' } as const;
		const answer = await send('/v1/files', init);
		expect(await answer.json()).toEqual({ size: all.length });
		expect(Buffer.concat(parts).equals(body)).toBe(true);
	});

	it('leaves them to a middleware that listens too', async () => {
		const { http } = testServer([route]);
		const kept: Buffer[] = [];
		const server = createServer((req, res) => {
			req.on('data', (chunk: Buffer) => kept.push(chunk));
			req.pause();
			http.callback()(req, res);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void server.close());
		const { port } = server.address() as AddressInfo;
		const url = `http://127.0.0.1:${port}/v1/files`;
		const answer = await fetch(url, { method: 'POST', headers, body });
		expect(await answer.json()).toEqual({ size: all.length });
		expect(Buffer.concat(kept).equals(body)).toBe(true);
	});
});
