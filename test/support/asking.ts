import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What became of a request: an answer, or a connection that failed. */
export interface Outcome {
	/** Milliseconds since the Unix epoch. */
	readonly askedAt: number;
	readonly endedAt: number;
	readonly status: number | undefined;
	readonly headers: IncomingMessage['headers'];
	readonly body: Buffer;
	/** `ECONNREFUSED`, `ECONNRESET`, … when the connection failed before the whole answer had arrived. */
	readonly failure: string | undefined;
}

/** A request over a socket of one's own. */
export interface Question {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent piece by piece, with a pause behind each. */
	readonly pieces?: readonly Uint8Array[];
	/** Between two pieces of the request, and between two reads of the answer; in milliseconds. */
	readonly pauseMs?: number;
	/** Without one the connection is new and is closed behind the answer. */
	readonly agent?: Agent;
}

/** Asks and waits for the whole answer. Never rejects: how it failed is a part of the outcome. */
export async function ask(url: string, question: Question = {}): Promise<Outcome> {
	const { method = 'GET', headers = {}, pieces = [], pauseMs = 0, agent = false } = question;
	const askedAt = Date.now();
	const got: { answer?: IncomingMessage; readonly body: Buffer[] } = { body: [] };
	const done = (failure?: string): Outcome => ({
		askedAt,
		endedAt: Date.now(),
		status: got.answer?.statusCode,
		headers: got.answer?.headers ?? {},
		body: Buffer.concat(got.body),
		failure,
	});
	try {
		const sent = request(url, { method, headers, agent });
		const answered = new Promise<IncomingMessage>((resolve, reject) => {
			sent.once('response', resolve);
			sent.on('error', reject);
		});
		answered.catch(() => {});
		for (const piece of pieces) {
			sent.write(piece);
			await delay(pauseMs);
		}
		sent.end();
		got.answer = await answered;
		for await (const chunk of got.answer) {
			got.body.push(chunk as Buffer);
			if (pauseMs > 0) await delay(pauseMs);
		}
		return done();
	} catch (error) {
		return done((error as NodeJS.ErrnoException).code ?? String(error));
	}
}

/** Asks again and again, one question after the other, until told to stop or until a connection fails. */
export function askOn(
	url: string,
	question: Question,
	pauseMs: number,
): { readonly outcomes: Promise<readonly Outcome[]>; stop(): void } {
	let goesOn = true;
	const run = async () => {
		const outcomes: Outcome[] = [];
		while (goesOn) {
			const outcome = await ask(url, question);
			outcomes.push(outcome);
			if (outcome.failure) break;
			await delay(pauseMs);
		}
		return outcomes;
	};
	return {
		outcomes: run(),
		stop: () => {
			goesOn = false;
		},
	};
}

/** An agent that keeps its one connection. */
export function keepAlive(): Agent {
	return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** The pieces of a multipart form with one picture, whose file comes in `count` pieces. */
export function formPieces(
	fields: Readonly<Record<string, string>>,
	picture: Uint8Array,
	count: number,
): { readonly headers: Readonly<Record<string, string>>; readonly pieces: readonly Uint8Array[] } {
	const boundary = 'a-boundary-of-the-tests';
	const part = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;
	const head = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`);
	const size = Math.ceil(picture.length / count);
	const slices = Array.from({ length: count }, (_, index) => picture.subarray(index * size, (index + 1) * size));
	const pieces = [
		Buffer.from(`${head.join('')}${part('name="input_reference"; filename="a.png"')}`),
		...slices,
		Buffer.from(`\r\n--${boundary}--\r\n`),
	];
	const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
	return {
		headers: {
			'content-type': `multipart/form-data; boundary=${boundary}`,
			'content-length': String(length),
		},
		pieces,
	};
}
