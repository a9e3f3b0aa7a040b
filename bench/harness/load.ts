import type { LoadResult, LoadRound } from '../subjects/load.ts';
import { type Child, startChild } from './child.ts';
import { cpuOfTree } from './cpu.ts';
import type { Sample } from './rounds.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
	readonly method?: string;
	readonly path: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Uint8Array;
}

/** A server under load: the process whose processor time counts, and where it listens. */
export interface Target {
	readonly pid: number;
	readonly port: number;
	readonly request: WireRequest;
}

/** The load generator runs in a process of its own, so that its cost is not counted. */
export class Load {
	readonly #child: Child;

	private constructor(child: Child) {
		this.#child = child;
	}

	static async start(): Promise<Load> {
		const child = startChild('load.ts');
		await child.next();
		return new Load(child);
	}

	/** Sends as many requests as V8 needs to compile the hot code, for at most 10 seconds. */
	async warmUp(target: Target, connections: number, requests: number): Promise<void> {
		await this.#send(target, connections, 10_000, requests);
	}

	/** Sends requests for `ms` milliseconds. Throws when a response is not 2xx. */
	async run(target: Target, connections: number, ms: number): Promise<Sample> {
		const before = cpuOfTree(target.pid);
		const { requests, ms: wall } = await this.#send(target, connections, ms);
		const cpu = cpuOfTree(target.pid) - before;
		return { cpu: cpu / requests, wall: (wall * connections) / requests };
	}

	async #send({ port, request }: Target, connections: number, ms: number, enough?: number) {
		const bytes = encodeRequest(request).toString('base64');
		this.#child.send({
			port,
			connections,
			ms,
			request: bytes,
			...(enough && { enough }),
		} satisfies LoadRound);
		const result = await this.#child.next<LoadResult>();
		const { requests, refused } = result;
		if (refused > 0) throw new Error(`${refused} of ${requests} answers to ${request.path} were refusals.`);
		return result;
	}

	stop(): Promise<void> {
		return this.#child.stop();
	}
}

/** The bytes of a request with the headers that every client sends. */
export function encodeRequest({ method = 'GET', path, headers = {}, body }: WireRequest): Buffer {
	const all = {
		host: '127.0.0.1',
		'user-agent': 'plinth-bench',
		accept: '*/*',
		...headers,
		...(body ? { 'content-length': String(body.length) } : {}),
	};
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body ?? Buffer.alloc(0)]);
}
