import { connect } from 'node:net';

/** One round of load: each connection repeats the same request, each time after the previous response. */
export interface LoadRound {
	readonly port: number;
	readonly connections: number;
	readonly ms: number;
	/** Ends the round early, after this many requests. */
	readonly enough?: number;
	/** The whole request in base64. */
	readonly request: string;
}

/** The result of a round. */
export interface LoadResult {
	readonly requests: number;
	/** Responses whose status was not 2xx. */
	readonly refused: number;
	readonly ms: number;
}

type Counts = Pick<LoadResult, 'requests' | 'refused'>;

const headEnd = Buffer.from('\r\n\r\n');

process.on('message', async (round: LoadRound) => process.send?.(await drive(round)));
process.send?.('ready');

async function drive({
	port,
	connections,
	ms,
	request,
	enough = Number.POSITIVE_INFINITY,
}: LoadRound): Promise<LoadResult> {
	const bytes = Buffer.from(request, 'base64');
	const began = performance.now();
	let isOver = false;
	let answered = 0;
	// This process never sleeps while it waits for responses. Waking it costs processor time of the server, more often
	// with a slow server, so the figures of two servers could not be compared.
	const spin = () => {
		isOver = answered >= enough || performance.now() - began >= ms;
		if (!isOver) setImmediate(spin);
	};
	spin();
	const isDone = () => {
		answered += 1;
		return isOver;
	};
	const all = Array.from({ length: connections }, () => oneConnection(port, bytes, isDone));
	const results = await Promise.all(all);
	const sum = (key: keyof Counts) => results.reduce((total, one) => total + one[key], 0);
	return { requests: sum('requests'), refused: sum('refused'), ms: performance.now() - began };
}

/** Calls `isDone` after each response. */
function oneConnection(port: number, request: Buffer, isDone: () => boolean): Promise<Counts> {
	return new Promise((resolve, reject) => {
		const counts = { requests: 0, refused: 0 };
		/** The received bytes of an incomplete head. */
		let partialHead: Buffer | undefined;
		/** Remaining bytes of the body; undefined while the head is read. */
		let missing: number | undefined;
		// One buffer for all reads, because received bytes are only counted.
		const onread = { buffer: Buffer.alloc(1_048_576), callback: read };
		const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
		socket.once('connect', () => socket.write(request));
		socket.once('error', reject);
		socket.once('close', () => reject(new Error('The server closed a connection.')));

		function read(length: number): boolean {
			missing = missing === undefined ? readHead(length) : missing - length;
			if (missing === 0) next();
			return true;
		}

		/** Reads a head, and returns the remaining bytes of the body. */
		function readHead(length: number): number | undefined {
			const part = onread.buffer.subarray(0, length);
			const all = partialHead ? Buffer.concat([partialHead, part]) : part;
			const end = all.indexOf(headEnd);
			partialHead = end === -1 ? Buffer.from(all) : undefined;
			if (end === -1) return undefined;
			const head = all.toString('latin1', 0, end);
			if (!head.startsWith('HTTP/1.1 2')) counts.refused += 1;
			const [, bytes] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
			if (bytes === undefined) reject(new Error(`An answer without a length:\n${head}`));
			return Number(bytes) - (all.length - end - headEnd.length);
		}

		function next(): void {
			missing = undefined;
			counts.requests += 1;
			if (!isDone()) {
				socket.write(request);
				return;
			}
			socket.removeAllListeners('close');
			socket.end();
			resolve(counts);
		}
	});
}
