import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../../src/contract/http/reply.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import type { ReusableBody } from '../../../src/contract/ports/blob-store.ts';
import { auth, eventually, listening, request, testServer } from '../support.ts';

/** More than the buffers of two sockets, so that a write waits for a client that does not read. */
const size = 12 * 1024 * 1024;

/** The buffers that were read into so far. */
const pooled = new Set<ArrayBufferLike>();

/** Bytes that differ for each id. */
function contentOf(id: string): Buffer {
	return Buffer.alloc(size, `these are the bytes of ${id}; `);
}

function reusable(bytes: Buffer): ReusableBody & { readonly isClosed: boolean } {
	let at = 0;
	let isClosed = false;
	return {
		get isClosed() {
			return isClosed;
		},
		async readInto(buffer) {
			// Like a disk: fills the memory later, while other requests read and write.
			await new Promise((resolve) => setImmediate(resolve));
			pooled.add(buffer.buffer);
			const length = bytes.copy(buffer, 0, at);
			at += length;
			return length;
		},
		async *[Symbol.asyncIterator]() {
			try {
				yield bytes;
			} finally {
				isClosed = true;
			}
		},
	};
}

const route = defineRoute({
	method: 'GET',
	path: '/v1/content/{id}',
	scope: 'authenticated',
	summary: 's',
	params: z.object({ id: z.string() }),
	response: { description: 'x' },
	errors: [],
	handler: ({ params }) =>
		Reply.binary({ size, open: () => reusable(contentOf(params.id)) }, { mediaType: 'video/mp4' }),
});

/** A download that reads only on demand. */
class Reader {
	readonly id: string;
	readonly #socket: Socket;
	readonly #parts: Buffer[] = [];
	#received = 0;

	constructor(port: number, id: string) {
		this.id = id;
		this.#socket = connect({ port, host: '127.0.0.1' });
		this.#socket.on('error', () => {});
		this.#socket.pause();
		this.#socket.write(request(`GET /v1/content/${id}`, { ...auth, connection: 'close' }));
		this.#socket.on('data', (chunk) => {
			this.#parts.push(chunk);
			this.#received += chunk.length;
		});
		onTestFinished(() => void this.#socket.destroy());
	}

	get received(): number {
		return this.#received;
	}

	read(): void {
		this.#socket.resume();
	}

	leave(): void {
		this.#socket.destroy();
	}

	async body(): Promise<Buffer> {
		await eventually(() => this.#socket.closed);
		const all = Buffer.concat(this.#parts);
		return all.subarray(all.indexOf('\r\n\r\n') + 4);
	}
}

describe('memory that downloads share', () => {
	it('is reused, and forty concurrent readers get their own bytes', async () => {
		pooled.clear();
		const { port, http } = await listening([route]);
		const open = (kind: string, count: number) =>
			Array.from({ length: count }, (_, i) => new Reader(port, `${kind}-${i}`));
		const slow = open('slow', 6);
		const leaving = open('leaving', 12);
		for (const reader of leaving) reader.read();
		for (const reader of leaving) {
			await eventually(() => reader.received > 0);
			reader.leave();
		}
		const finished: Reader[] = [];
		for (let batch = 0; batch < 4; batch++) {
			const fast = open(`fast-${batch}`, 6);
			for (const reader of fast) reader.read();
			for (const reader of fast) {
				expect(contentOf(reader.id).equals(await reader.body())).toBe(true);
				finished.push(reader);
			}
		}
		for (const reader of slow) reader.read();
		for (const reader of slow) {
			expect(contentOf(reader.id).equals(await reader.body())).toBe(true);
		}
		await eventually(() => http.pipeline.inFlight === 0);
		expect(finished).toHaveLength(24);
		expect(pooled.size).toBeLessThan(slow.length + leaving.length + finished.length);
	}, 30_000);

	it('is not reused while the disk read of a disconnected client may still fill it', async () => {
		const stuck = Promise.withResolvers<() => void>();
		const bodies: Record<string, ReusableBody> = {
			left: reusable(contentOf('left')),
			stays: reusable(contentOf('stays')),
		};
		const [left, stays] = [bodies.left, bodies.stays] as [ReusableBody, ReusableBody];
		let reads = 0;
		left.readInto = async (buffer) => {
			reads += 1;
			if (reads === 1) return buffer.fill(1).length;
			const fill = Promise.withResolvers<void>();
			stuck.resolve(fill.resolve);
			await fill.promise;
			return buffer.fill(2).length;
		};
		const readStays = stays.readInto.bind(stays);
		stays.readInto = async (buffer) => {
			const length = await readStays(buffer);
			(await stuck.promise)();
			await new Promise((resolve) => setImmediate(resolve));
			return length;
		};
		const { port, http } = await listening([
			defineRoute({
				...route,
				handler: ({ params }) =>
					Reply.binary(
						{ size, open: () => bodies[(params as { id: string }).id] as ReusableBody },
						{ mediaType: 'video/mp4' },
					),
			}),
		]);
		const leaving = new Reader(port, 'left');
		leaving.read();
		await stuck.promise;
		leaving.leave();
		await eventually(() => http.pipeline.inFlight === 0);
		const reader = new Reader(port, 'stays');
		reader.read();
		expect(contentOf('stays').equals(await reader.body())).toBe(true);
	});

	it('is not used for a response without a socket, which may keep its chunks', async () => {
		const body = reusable(contentOf('fetched'));
		body.readInto = () => Promise.reject(new Error('It was read into.'));
		const source = { size, open: () => body };
		const fetched = defineRoute({
			...route,
			handler: () => Reply.binary(source, { mediaType: 'video/mp4' }),
		});
		const answer = await testServer([fetched]).send('/v1/content/fetched');
		expect(contentOf('fetched').equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
		await eventually(() => body.isClosed);
	});
});
