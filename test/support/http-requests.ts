import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The result of a request: a response, or a failed connection. */
export interface Outcome {
	/** Milliseconds since the Unix epoch. */
	readonly startedAt: number;
	readonly endedAt: number;
	readonly status: number | undefined;
	readonly headers: IncomingMessage['headers'];
	readonly body: Buffer;
	/** `ECONNREFUSED`, `ECONNRESET`, … when the connection failed before the whole response had arrived. */
	readonly failure: string | undefined;
}

/** How a request is sent. */
export interface RequestOptions {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Parts of the body. Each is written separately, followed by a pause. */
	readonly parts?: readonly Uint8Array[];
	/** The pause between two parts of the body, and between two reads of the response, in milliseconds. */
	readonly pauseMs?: number;
	/** Without an agent the request opens a new connection, which is closed after the response. */
	readonly agent?: Agent;
}

/** Sends a request and waits for the whole response. Never rejects: a failed connection is part of the outcome. */
export async function sendRequest(url: string, options: RequestOptions = {}): Promise<Outcome> {
	const { method = 'GET', headers = {}, parts = [], pauseMs = 0, agent = false } = options;
	const startedAt = Date.now();
	const received: { response?: IncomingMessage; readonly body: Buffer[] } = { body: [] };
	const done = (failure?: string): Outcome => ({
		startedAt,
		endedAt: Date.now(),
		status: received.response?.statusCode,
		headers: received.response?.headers ?? {},
		body: Buffer.concat(received.body),
		failure,
	});
	try {
		const outgoing = request(url, { method, headers, agent });
		const responded = new Promise<IncomingMessage>((resolve, reject) => {
			outgoing.once('response', resolve);
			outgoing.on('error', reject);
		});
		responded.catch(() => {});
		for (const part of parts) {
			outgoing.write(part);
			await delay(pauseMs);
		}
		outgoing.end();
		received.response = await responded;
		for await (const chunk of received.response) {
			received.body.push(chunk as Buffer);
			if (pauseMs > 0) await delay(pauseMs);
		}
		return done();
	} catch (error) {
		return done((error as NodeJS.ErrnoException).code ?? String(error));
	}
}

/** Sends the same request repeatedly, one at a time, until stopped or until a connection fails. */
export function sendRepeatedly(
	url: string,
	options: RequestOptions,
	pauseMs: number,
): { readonly outcomes: Promise<readonly Outcome[]>; stop(): void } {
	let isRunning = true;
	const run = async () => {
		const outcomes: Outcome[] = [];
		while (isRunning) {
			const outcome = await sendRequest(url, options);
			outcomes.push(outcome);
			if (outcome.failure) break;
			await delay(pauseMs);
		}
		return outcomes;
	};
	return {
		outcomes: run(),
		stop: () => {
			isRunning = false;
		},
	};
}

/** An agent that keeps one connection open. */
export function keepAliveAgent(): Agent {
	return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** The parts of a multipart form with one image. The image file is split into `count` parts. */
export function formPieces(
	fields: Readonly<Record<string, string>>,
	image: Uint8Array,
	count: number,
): { readonly headers: Readonly<Record<string, string>>; readonly parts: readonly Uint8Array[] } {
	const boundary = 'a-boundary-of-the-tests';
	const partHead = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;
	const head = Object.entries(fields).map(([name, value]) => `${partHead(`name="${name}"`)}${value}\r\n`);
	const size = Math.ceil(image.length / count);
	const slices = Array.from({ length: count }, (_, index) => image.subarray(index * size, (index + 1) * size));
	const parts = [
		Buffer.from(`${head.join('')}${partHead('name="input_reference"; filename="a.png"')}`),
		...slices,
		Buffer.from(`\r\n--${boundary}--\r\n`),
	];
	const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
	return {
		headers: {
			'content-type': `multipart/form-data; boundary=${boundary}`,
			'content-length': String(length),
		},
		parts,
	};
}
