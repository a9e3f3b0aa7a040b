import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManualClock, manualClock } from '@plinth/testing';
import { expect, onTestFinished } from 'vitest';
import type { Middleware, Route } from '../../src/contract/http/route.ts';
import type { ModelInfo } from '../../src/contract/model.ts';
import type { Authenticator } from '../../src/contract/ports/authenticator.ts';
import type { Logger } from '../../src/contract/ports/logger.ts';
import { serverSettings } from '../../src/contract/server-settings.ts';
import { Admission, type LoadLimits } from '../../src/http/gate/admission.ts';
import { type AuthFailureLimits, authFailures } from '../../src/http/gate/auth-failures.ts';
import { authentication } from '../../src/http/gate/authentication.ts';
import { Listener } from '../../src/http/listener.ts';
import { Pipeline, type PipelineParts } from '../../src/http/pipeline.ts';
import type { Readiness } from '../../src/http/routing/system.ts';
import { RouteTable } from '../../src/http/routing/table.ts';
import { HttpServer } from '../../src/http/server.ts';

/** A line that was logged. */
export interface Line {
	readonly level: 'debug' | 'info' | 'warn' | 'error';
	readonly fields: Record<string, unknown>;
	readonly message: string;
}

export interface TestServer {
	readonly http: HttpServer;
	readonly clock: ManualClock;
	readonly lines: Line[];
	/** Sends a request with the key that has all scopes, through `HttpServer.fetch`. */
	send(path: string, init?: RequestInit): Promise<Response>;
}

/** The body of a request. */
export type Sent = NonNullable<RequestInit['body']>;

/** The four keys of an error response, with its status. */
export interface Refusal {
	readonly status: number;
	readonly message: string;
	readonly type: string;
	readonly param: string | null;
	readonly code: string | null;
}

/** Reads an error response and checks that it has exactly the four keys. */
export async function errorOf(answer: Response): Promise<Refusal> {
	const body = (await answer.json()) as { error: Omit<Refusal, 'status'> };
	expect(Object.keys(body)).toEqual(['error']);
	expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code']);
	return { status: answer.status, ...body.error };
}

export const goodKey = 'key-of-everything';
export const narrowKey = 'key-of-little';
export const auth = { authorization: `Bearer ${goodKey}` };

/** The dependencies of the HTTP server that a test may replace. */
export interface HttpPorts {
	/** The routes, each with the plugin that defines it. */
	readonly owners: ReadonlyMap<Route, string>;
	readonly isWorker: boolean;
	readonly middlewares: readonly Middleware[];
	readonly readiness: Readiness;
	readonly models: () => readonly ModelInfo[];
	readonly authenticator: Authenticator;
	readonly authFailures: AuthFailureLimits;
	readonly load: LoadLimits;
	readonly connections: number;
	readonly cors: readonly string[];
	readonly compresses: boolean;
	readonly refusesUnknown: boolean;
	readonly whenReady: PipelineParts['whenReady'];
	readonly publicUrl: string | undefined;
}

function build(ports: HttpPorts, clock: ManualClock, log: Logger): HttpServer {
	const routes = new RouteTable(ports);
	const checkKey = authentication(ports.authenticator, authFailures(ports.authFailures));
	const admission = new Admission(ports.load);
	const pipeline = new Pipeline({ ...ports, clock, log, authentication: checkKey, admission, routes });
	const listener = new Listener(log, ports.connections);
	return new HttpServer({ pipeline, routes, listener, publicUrl: ports.publicUrl });
}

/** A server with fakes at its ports. */
export function testServer(routes: readonly Route[], options: Partial<HttpPorts> = {}): TestServer {
	const clock = manualClock();
	const lines: Line[] = [];
	const ports: HttpPorts = {
		owners: new Map(routes.map((route) => [route, 'system'])),
		middlewares: [],
		isWorker: false,
		authenticator: {
			authenticate: async (key) => {
				if (key === goodKey) return { id: 'p1', tenant: 't1', scopes: ['*'] };
				return key === narrowKey ? { id: 'p2', tenant: 't2', scopes: ['little'] } : null;
			},
		},
		authFailures: { perMinute: 0, trustedProxies: 0 },
		load: serverSettings.parse({}).limits,
		connections: 10_000,
		cors: [],
		compresses: true,
		refusesUnknown: false,
		whenReady: () => {},
		publicUrl: undefined,
		readiness: async () => ({ ready: true }),
		models: () => [],
		...options,
	};
	const http = build(ports, clock, recorder(lines));
	return {
		http,
		clock,
		lines,
		send: (path, init = {}) =>
			http.fetch(
				new Request(`http://plinth.test${path}`, {
					...init,
					headers: { ...auth, ...(init.headers as Record<string, string>) },
				}),
			),
	};
}

/** A test server that listens on its own port and is closed when the test ends. */
export async function listening(
	routes: readonly Route[],
	options: Partial<HttpPorts> = {},
): Promise<TestServer & { readonly url: string; readonly port: number }> {
	const server = testServer(routes, options);
	const { url, port } = await server.http.listen({ host: '127.0.0.1', port: 0 });
	onTestFinished(() => server.http.listener.close());
	return { ...server, url, port };
}

/** A TCP connection that can send and receive any bytes. */
export async function rawConnection(port: number): Promise<RawConnection> {
	const socket = connect({ port, host: '127.0.0.1' });
	onTestFinished(() => {
		socket.destroy();
	});
	await once(socket, 'connect');
	return new RawConnection(socket);
}

export class RawConnection {
	readonly socket: Socket;
	readonly closed: Promise<void>;
	#text = '';
	#wake = () => {};

	constructor(socket: Socket) {
		this.socket = socket;
		socket.on('error', () => {});
		socket.on('data', (chunk) => {
			this.#text += chunk.toString('latin1');
			this.#wake();
		});
		this.closed = new Promise((resolve) => {
			socket.once('close', () => {
				this.#wake();
				resolve();
			});
		});
	}

	/** The text received so far. */
	get text(): string {
		return this.#text;
	}

	write(text: string | Uint8Array): Promise<void> {
		return new Promise((resolve) => this.socket.write(text, () => resolve()));
	}

	/** Waits until the received text matches the pattern. */
	async until(pattern: RegExp): Promise<string> {
		while (!pattern.test(this.#text)) {
			if (this.socket.closed) throw new Error(`Closed before ${pattern}: ${this.#text}`);
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
		return this.#text;
	}
}

/** The text of a request. */
export function request(
	line: string,
	headers: Readonly<Record<string, string>> | readonly string[] = {},
	body = '',
): string {
	const lines = Array.isArray(headers) ? headers : Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	return [`${line} HTTP/1.1`, 'host: plinth.test', ...lines, '', body].join('\r\n');
}

/** Checks a condition in each turn of the event loop until it is true, for at most 5 seconds. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
	const end = performance.now() + 5_000;
	while (!(await condition())) {
		if (performance.now() > end) throw new Error('The condition never came true.');
		await new Promise((resolve) => setImmediate(resolve));
	}
}

/** The CPU time of this thread in milliseconds; the elapsed time if Node does not report it. */
export function worked(): number {
	if (!('threadCpuUsage' in process)) return performance.now();
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
}

/** Sets a temp directory for the test. Returns a function that lists what the server has left there. */
export async function privateTemp(): Promise<() => Promise<string[]>> {
	const before = process.env.TMPDIR;
	const folder = await mkdtemp(join(tmpdir(), 'http-test-'));
	process.env.TMPDIR = folder;
	onTestFinished(async () => {
		if (before === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = before;
		await rm(folder, { recursive: true, force: true });
	});
	return () => readdir(folder);
}

/** A logger that keeps its lines, and those of its children. */
export function recorder(lines: Line[], bound: Record<string, unknown> = {}): Logger {
	const write = (level: Line['level']) => (fields: object, message: string) => {
		lines.push({ level, fields: { ...bound, ...fields }, message });
	};
	return {
		debug: write('debug'),
		info: write('info'),
		warn: write('warn'),
		error: write('error'),
		child: (bindings) => recorder(lines, { ...bound, ...bindings }),
	};
}
