import {
	createServer,
	type IncomingMessage,
	type Server,
	type ServerResponse,
	STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import { plinthError } from '../coded-error.ts';
import { errors } from '../errors.ts';
import type { Logger } from '../ports/logger.ts';
import { newRequestId } from './exchange.ts';
import { httpLimits } from './limits.ts';

/** Where a listener listens. */
export interface Address {
	/** Without a trailing slash; `localhost` stands for a wildcard address. */
	readonly url: string;
	readonly host: string;
	readonly port: number;
}

/** Answers one request. `invite` sends `100 Continue`; it comes with clients that wait for it. */
export type RequestHandler = (
	req: IncomingMessage,
	res: ServerResponse,
	invite?: () => void,
) => void;

/** A server that we opened ourselves, and its connections. */
export class Listener {
	readonly #server: Server;
	readonly #log: Logger;
	/** The response that each connection waits for; undefined when it is idle. */
	readonly #connections = new Map<Socket, ServerResponse | undefined>();
	#stopped: Promise<void> | undefined;

	constructor(handle: RequestHandler, log: Logger) {
		this.#log = log;
		this.#server = createServer({
			headersTimeout: httpLimits.headMs,
			requestTimeout: httpLimits.requestMs,
			connectionsCheckingInterval: httpLimits.sweepMs,
			keepAliveTimeout: httpLimits.keepAliveMs,
			maxHeaderSize: httpLimits.headBytes,
			noDelay: true,
			// Node would refuse without a body; we do, with one.
			requireHostHeader: false,
		});
		this.#server.on('connection', (socket) => this.#watch(socket));
		this.#server.on('request', (req, res) => this.#carry(handle, req, res));
		// Without this event Node invites every body before we have looked at the key.
		this.#server.on('checkContinue', (req, res) => {
			this.#carry(handle, req, res, () => res.writeContinue());
		});
		this.#server.on('clientError', refuse);
		// Node would answer other expectations with a bare 417; RFC 9110 §10.1.1 lets a server ignore them.
		this.#server.on('checkExpectation', (req, res) => this.#carry(handle, req, res));
	}

	/** Rejects when the address is taken or not ours. Port 0 finds a free one. */
	open(options: { readonly host: string; readonly port: number }): Promise<Address> {
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
			this.#server.once('close', () => reject(plinthError('E_STOPPING')));
			this.#server.listen(options.port, options.host, () => {
				this.#server.off('error', reject);
				this.#server.on('error', (err) => this.#log.error({ err }, 'listener failed'));
				const { address, port } = this.#server.address() as AddressInfo;
				resolve({ url: `http://${urlHost(address)}:${port}`, host: address, port });
			});
		});
	}

	/**
	 * Takes no new connections, closes idle ones at once and busy ones behind their answer. Resolves when none is left.
	 */
	stop(): Promise<void> {
		this.#stopped ??= new Promise((resolve) => {
			this.#server.close(() => resolve());
			for (const [socket, res] of this.#connections) {
				if (!res) socket.destroy();
				else if (!res.headersSent) res.shouldKeepAlive = false;
			}
		});
		return this.#stopped;
	}

	/** Closes every connection, busy or not. */
	close(): void {
		void this.stop();
		this.#server.closeAllConnections();
	}

	#watch(socket: Socket): void {
		this.#connections.set(socket, undefined);
		socket.once('close', () => this.#connections.delete(socket));
	}

	#carry(
		handle: RequestHandler,
		req: IncomingMessage,
		res: ServerResponse,
		invite?: () => void,
	): void {
		const { socket } = req;
		this.#connections.set(socket, res);
		if (this.#stopped) res.shouldKeepAlive = false;
		res.once('close', () => {
			if (this.#connections.get(socket) === res) this.#connections.set(socket, undefined);
			// Its head may have promised to keep the connection before the stop.
			if (this.#stopped) socket.end();
		});
		if (req.headers.host === undefined && req.httpVersion === '1.1') {
			const { status, headers, body } = refusal('NO_HOST');
			res.writeHead(status, headers).end(body);
			return;
		}
		handle(req, res, invite);
	}
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
	const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines];
	socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
	// A client that neither reads nor closes would keep its half of the connection for ever.
	setTimeout(() => socket.destroy(), httpLimits.farewellMs).unref();
}

function refusal(code: string | undefined) {
	const { status, spec, message } = reasons(code);
	const body = JSON.stringify({
		error: { message, type: spec.type, param: null, code: spec.code },
	});
	const headers = {
		connection: 'close',
		'content-type': 'application/json; charset=utf-8',
		'content-length': String(Buffer.byteLength(body)),
		'cache-control': 'no-store',
		'x-content-type-options': 'nosniff',
		'x-request-id': newRequestId(),
	};
	return { status, headers, body };
}

function reasons(code: string | undefined) {
	switch (code) {
		case 'HPE_HEADER_OVERFLOW': {
			const message = `The request line and headers have more than ${httpLimits.headBytes} bytes.`;
			return { status: 431, spec: errors.E_BODY_TOO_LARGE, message };
		}
		case 'ERR_HTTP_REQUEST_TIMEOUT': {
			const { status, message } = errors.E_REQUEST_TIMEOUT;
			return { status, spec: errors.E_REQUEST_TIMEOUT, message };
		}
		case 'NO_HOST':
			return { status: 400, spec: errors.E_BODY_MALFORMED, message: 'The request names no host.' };
		default:
			return {
				status: 400,
				spec: errors.E_BODY_MALFORMED,
				message: 'The request is no valid HTTP.',
			};
	}
}
