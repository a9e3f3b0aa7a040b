import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import type { Address } from '../contract/app.ts';
import { plinthError } from '../contract/errors/coded-error.ts';
import { errors } from '../contract/errors/errors.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { securityHeaders } from './answers/send.ts';
import { atEndOfTick, headerValues, type ListenerHooks, newRequestId } from './exchange.ts';
import { httpLimits } from './limits.ts';
import { http } from './required.ts';

export type RequestHandler = (req: IncomingMessage, res: ServerResponse, hooks: ListenerHooks) => void;

/** The most turns of the event loop that a stop waits, so that clients that keep connecting cannot delay it forever. */
const maxTurns = 1_024;
/** A turn of the event loop that is shorter than this was idle, in milliseconds. */
const idleTurnMs = 0.05;

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

	get address(): Address | undefined {
		return this.#address;
	}

	/** Rejects when the address is in use or not available. Port 0 selects a free port. */
	async open(options: ListenOptions, handle: RequestHandler): Promise<Address> {
		if (this.#server) throw new Error('The server listens already.');
		const server = this.#create(handle);
		this.#server = server;
		this.#address = await listen(server, options).catch((error) => {
			this.#server = undefined;
			throw error;
		});
		server.on('error', (err) => this.#log.error({ err }, 'listener failed'));
		if (this.#stopped) await this.#stop(server);
		return this.#address;
	}

	/** Ends keep-alive, also for responses in progress: a client that reuses a closing connection would see a reset. */
	endKeepAlive(): void {
		this.#keepsAlive = false;
		for (const res of this.#connections.values()) if (res && !res.headersSent) res.shouldKeepAlive = false;
	}

	/**
	 * Accepts no new connections, closes idle ones at once and busy ones after their response. Connections that have not
	 * sent a request yet stay open for 500 ms. Resolves when no connection is left.
	 */
	stop(): Promise<void> {
		this.#stopped ??= this.#server ? this.#stop(this.#server) : Promise.resolve();
		return this.#stopped;
	}

	async #stop(server: Server): Promise<void> {
		this.endKeepAlive();
		const closed = new Promise((resolve) => server.once('close', resolve));
		this.#closeWhenQuiet(server);
		await closed;
	}

	/**
	 * Node accepts one connection per turn of its event loop, and resets those that wait when the listener closes.
	 * So it closes after three idle turns without a new connection: during a busy turn, one could have arrived.
	 */
	#closeWhenQuiet(server: Server): void {
		let [quietTurns, turnsLeft, startedAt] = [0, maxTurns, performance.now()];
		server.on('connection', () => {
			quietTurns = 0;
		});
		const closeIdle = () => {
			for (const [socket, res] of this.#connections) if (!res) socket.destroy();
		};
		const endTurn = () => {
			const now = performance.now();
			quietTurns = now - startedAt < idleTurnMs ? quietTurns + 1 : 0;
			startedAt = now;
			turnsLeft -= 1;
			if (quietTurns < 3 && turnsLeft > 0) {
				setImmediate(endTurn);
				return;
			}
			// Close the listening socket first: closing the HTTP server takes longer.
			NetServer.prototype.close.call(server);
			// This closes connections that are idle between two requests, and not those that have never sent one.
			server.close();
			// Before `setImmediate` runs, the same turn reads requests that a busy process has not read yet.
			setTimeout(() => setImmediate(closeIdle), httpLimits.lastCallMs).unref();
		};
		setImmediate(endTurn);
	}

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
			// Node would refuse a request without `Host` with an empty response. `headProblem` adds the four-key body.
			requireHostHeader: false,
		});
		// Node closes further connections at once, without reading from them.
		server.maxConnections = this.#connectionLimit;
		server.on('connection', (socket) => {
			this.#connections.set(socket, undefined);
			socket.on('close', () => this.#connections.delete(socket));
		});
		server.on('request', (req, res) => this.#handleRequest(handle, req, res));
		// Without a listener for this event, Node sends `100 Continue` before the key is checked.
		server.on('checkContinue', (req, res) => this.#handleRequest(handle, req, res, () => res.writeContinue()));
		server.on('clientError', (error, socket) => {
			// In the middle of a response, the client would read the refusal as a part of that response.
			if (this.#connections.get(socket as Socket)?.headersSent) socket.destroy();
			else refuse(error, socket as Socket);
		});
		// By default Node responds to other expectations with an empty 417. RFC 9110 §10.1.1 lets a server ignore them.
		server.on('checkExpectation', (req, res) => this.#handleRequest(handle, req, res));
		return server;
	}

	#handleRequest(handle: RequestHandler, req: IncomingMessage, res: ServerResponse, sendContinue?: () => void): void {
		const { socket } = req;
		this.#connections.set(socket, res);
		if (!this.#keepsAlive) res.shouldKeepAlive = false;
		const onClose = () => this.#release(socket, res);
		const code = headProblem(req);
		if (code) {
			const { status, headers, body } = refusal(code);
			res.on('close', onClose);
			res.writeHead(status, headers).end(body);
			return;
		}
		atEndOfTick(() => handle(req, res, { sendContinue, onClose }));
	}

	#release(socket: Socket, res: ServerResponse): void {
		if (this.#connections.get(socket) === res) this.#connections.set(socket, undefined);
		// The head may have been sent before the stop, with a promise to keep the connection open.
		if (this.#stopped) {
			socket.end();
			destroySoon(socket);
		}
	}
}

function listen(server: Server, options: ListenOptions): Promise<Address> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.once('close', () => reject(plinthError('E_STOPPING')));
		server.listen(options, () => {
			server.off('error', reject);
			const { address, port } = server.address() as AddressInfo;
			resolve({ url: `http://${urlHost(address)}:${port}`, host: address, port });
		});
	});
}

/** The code of a head that Node's parser accepts but another parser could read differently (RFC 9112 §3.2, §2.3). */
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

/** Destroys a socket after a delay: a client that neither reads nor closes would keep its half open forever. */
function destroySoon(socket: Socket): void {
	setTimeout(() => socket.destroy(), httpLimits.errorGraceMs).unref();
}

/** The response to a request that Node's parser or `headProblem` refuses, with the four-key body. */
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

const malformed = { status: 400, spec: errors.E_BODY_MALFORMED, message: 'The request is not valid HTTP.' };

const { E_BODY_TOO_LARGE, E_REQUEST_TIMEOUT } = errors;
const tooLargeHead = `The request line and headers have more than ${httpLimits.headBytes} bytes.`;

/** The differences from `malformed`, by the code of Node or of `headProblem`. */
const refusals: Readonly<Record<string, object>> = {
	HPE_HEADER_OVERFLOW: { status: 431, spec: E_BODY_TOO_LARGE, message: tooLargeHead },
	ERR_HTTP_REQUEST_TIMEOUT: { ...E_REQUEST_TIMEOUT, spec: E_REQUEST_TIMEOUT },
	NO_HOST: { message: 'The request has no Host header.' },
	TWO_HOSTS: { message: 'The request has more than one Host header.' },
};
