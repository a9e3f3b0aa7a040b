import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import { plinthError } from '../contract/errors/coded-error.ts';
import { errors } from '../contract/errors/errors.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { securityHeaders } from './answers/send.ts';
import { atEndOfTick } from './at-end-of-tick.ts';
import { headerValues, type ListenerHooks, newRequestId } from './exchange.ts';
import { httpLimits } from './limits.ts';
import { http } from './required.ts';

/** Where a listener listens. */
export interface Address {
	/** Without a trailing slash; `localhost` stands for a wildcard address. */
	readonly url: string;
	readonly host: string;
	readonly port: number;
}

/** Answers one request. */
export type RequestHandler = (req: IncomingMessage, res: ServerResponse, arrival: ListenerHooks) => void;

/** The turns of the event loop that a stop waits for new connections: clients that never cease must not hold it up. */
const maxTurns = 1_024;

/** The server that the app opens itself, and its connections. */
export class Listener {
	readonly #log: Logger;
	readonly #connectionLimit: number;
	#server: Server | undefined;
	#address: Address | undefined;
	/** The response that each connection waits for; undefined when it is idle. */
	readonly #connections = new Map<Socket, ServerResponse | undefined>();
	#keepsAlive = true;
	#stopped: Promise<void> | undefined;

	constructor(log: Logger, connectionLimit: number) {
		this.#log = log;
		this.#connectionLimit = connectionLimit;
	}

	/** Where it listens; undefined while it does not. */
	get address(): Address | undefined {
		return this.#address;
	}

	/** Rejects when the address is taken or not ours. Port 0 finds a free one. */
	async open(options: { readonly host: string; readonly port: number }, handle: RequestHandler): Promise<Address> {
		if (this.#server) throw new Error('The server listens already.');
		const server = this.#create(handle);
		this.#server = server;
		try {
			this.#address = await listen(server, options);
		} catch (error) {
			this.#server = undefined;
			throw error;
		}
		server.on('error', (err) => this.#log.error({ err }, 'listener failed'));
		if (this.#stopped) await this.#stop(server);
		return this.#address;
	}

	/** From now on every answer ends its connection: a client that reuses one while it is closed would see a reset. */
	endKeepAlive(): void {
		this.#keepsAlive = false;
		for (const res of this.#connections.values()) {
			if (res && !res.headersSent) res.shouldKeepAlive = false;
		}
	}

	/**
	 * Accepts no new connections, closes idle ones at once and busy ones behind their answer. New ones without a request
	 * have a moment to send it. Resolves when none is left.
	 */
	stop(): Promise<void> {
		this.#stopped ??= this.#server ? this.#stop(this.#server) : Promise.resolve();
		return this.#stopped;
	}

	async #stop(server: Server): Promise<void> {
		this.endKeepAlive();
		await this.#takeWaiting(server);
		const closed = new Promise<void>((resolve) => {
			// Closes what is idle between two requests, and leaves what has never asked.
			server.close(() => resolve());
		});
		setTimeout(() => this.#closeSilent(), httpLimits.lastCallMs).unref();
		await closed;
	}

	/** Node accepts one connection per turn of its event loop, and resets those that wait when the listener closes. */
	async #takeWaiting(server: Server): Promise<void> {
		let [quietTurns, turnsLeft] = [0, maxTurns];
		const count = () => {
			quietTurns = 0;
		};
		server.on('connection', count);
		for (; quietTurns < 3 && turnsLeft > 0; turnsLeft -= 1) {
			quietTurns += 1;
			await new Promise((resolve) => setImmediate(resolve));
		}
		server.off('connection', count);
	}

	/** Closes every connection, busy or not. */
	close(): void {
		void this.stop();
		this.#server?.close();
		this.#server?.closeAllConnections();
	}

	#create(handle: RequestHandler): Server {
		const server = http.createServer({
			headersTimeout: httpLimits.headMs,
			requestTimeout: httpLimits.requestMs,
			connectionsCheckingInterval: httpLimits.sweepMs,
			keepAliveTimeout: httpLimits.keepAliveMs,
			maxHeaderSize: httpLimits.headBytes,
			noDelay: true,
			// Node would refuse such a request without a body. `headProblem` refuses it with one.
			requireHostHeader: false,
		});
		// Beyond it Node closes new connections at once, unread.
		server.maxConnections = this.#connectionLimit;
		server.on('connection', (socket) => this.#watch(socket));
		server.on('request', (req, res) => this.#carry(handle, req, res));
		// Without this event Node invites every body before the key is checked.
		server.on('checkContinue', (req, res) => {
			this.#carry(handle, req, res, () => res.writeContinue());
		});
		server.on('clientError', (error, socket) => {
			// In the middle of an answer a second one would be read as a part of it.
			if (this.#connections.get(socket as Socket)?.headersSent) socket.destroy();
			else refuse(error, socket as Socket);
		});
		// Node answers other expectations with a bare 417. RFC 9110 §10.1.1 lets a server ignore them.
		server.on('checkExpectation', (req, res) => this.#carry(handle, req, res));
		return server;
	}

	#closeSilent(): void {
		for (const [socket, res] of this.#connections) {
			if (!res) socket.destroy();
		}
	}

	#watch(socket: Socket): void {
		this.#connections.set(socket, undefined);
		socket.on('close', () => this.#connections.delete(socket));
	}

	#carry(handle: RequestHandler, req: IncomingMessage, res: ServerResponse, invite?: () => void): void {
		const { socket } = req;
		this.#connections.set(socket, res);
		if (!this.#keepsAlive) res.shouldKeepAlive = false;
		const closed = () => this.#release(socket, res);
		const code = headProblem(req);
		if (code) {
			const { status, headers, body } = refusal(code);
			res.on('close', closed);
			res.writeHead(status, headers).end(body);
			return;
		}
		atEndOfTick(() => handle(req, res, { invite, closed }));
	}

	#release(socket: Socket, res: ServerResponse): void {
		if (this.#connections.get(socket) === res) this.#connections.set(socket, undefined);
		// Its head may have promised to keep the connection before the stop.
		if (this.#stopped) {
			socket.end();
			destroySoon(socket);
		}
	}
}

function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<Address> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.once('close', () => reject(plinthError('E_STOPPING')));
		server.listen(port, host, () => {
			server.off('error', reject);
			const { address, port } = server.address() as AddressInfo;
			resolve({ url: `http://${urlHost(address)}:${port}`, host: address, port });
		});
	});
}

/** What Node's parser accepts, although another reader could see a different request in it (RFC 9112 §3.2, §2.3). */
function headProblem(req: IncomingMessage): string | undefined {
	const { httpVersion } = req;
	const hosts = headerValues(req, 'host').length;
	if (hosts === 0 && httpVersion === '1.1') return 'NO_HOST';
	if (hosts > 1) return 'TWO_HOSTS';
	return /^1\.[01]$/.test(httpVersion) ? undefined : 'OTHER_VERSION';
}

function urlHost(address: string): string {
	if (address === '0.0.0.0' || address === '::') return 'localhost';
	return isIPv6(address) ? `[${address}]` : address;
}

/** What Node's parser refuses gets the four-key body too, as far as the connection can still carry one. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
	if (error.code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}
	const { status, headers, body } = refusal(error.code);
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const head = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...lines];
	socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
	destroySoon(socket);
}

/** A client that neither reads nor closes would keep its half of the connection for ever. */
function destroySoon(socket: Socket): void {
	setTimeout(() => socket.destroy(), httpLimits.errorGraceMs).unref();
}

/** The answer to what Node's parser or `headProblem` refuses, with the four-key body. */
function refusal(code = '') {
	const { status, spec, message } = { ...malformed, ...refusals[code] };
	const body = JSON.stringify({ error: { message, type: spec.type, param: null, code: spec.code } });
	const headers = {
		connection: 'close',
		'content-type': 'application/json; charset=utf-8',
		'content-length': String(Buffer.byteLength(body)),
		'cache-control': 'no-store',
		...securityHeaders,
		'openai-processing-ms': '0',
		'x-request-id': newRequestId(),
	};
	return { status, headers, body };
}

const malformed = { status: 400, spec: errors.E_BODY_MALFORMED, message: 'The request is no valid HTTP.' };

const { E_BODY_TOO_LARGE, E_REQUEST_TIMEOUT } = errors;
const tooLargeHead = `The request line and headers have more than ${httpLimits.headBytes} bytes.`;

/** What differs from `malformed`, by Node's code or that of `headProblem`. */
const refusals: Readonly<Record<string, object>> = {
	HPE_HEADER_OVERFLOW: { status: 431, spec: E_BODY_TOO_LARGE, message: tooLargeHead },
	ERR_HTTP_REQUEST_TIMEOUT: { ...E_REQUEST_TIMEOUT, spec: E_REQUEST_TIMEOUT },
	NO_HOST: { message: 'The request names no host.' },
	TWO_HOSTS: { message: 'The request names more than one host.' },
};
