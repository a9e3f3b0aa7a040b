import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isIPv6 } from 'node:net';
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

/** Answers one request. `invite` sends `100 Continue` to a client that waits for it. */
export type RequestHandler = (
	req: IncomingMessage,
	res: ServerResponse,
	invite: () => void,
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
		});
		this.#server.on('connection', (socket) => this.#watch(socket));
		this.#server.on('request', (req, res) => this.#carry(handle, req, res, () => {}));
		// Without this event Node invites every body before we have looked at the key.
		this.#server.on('checkContinue', (req, res) => {
			this.#carry(handle, req, res, () => res.writeContinue());
		});
		this.#server.on('clientError', refuse);
		// Node would answer other expectations with a bare 417; RFC 9110 §10.1.1 lets a server ignore them.
		this.#server.on('checkExpectation', (req, res) => this.#carry(handle, req, res, () => {}));
	}

	/** Rejects when the address is taken or not ours. Port 0 finds a free one. */
	open(options: { readonly host: string; readonly port: number }): Promise<Address> {
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
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
		invite: () => void,
	): void {
		const { socket } = req;
		this.#connections.set(socket, res);
		if (this.#stopped) res.shouldKeepAlive = false;
		res.once('close', () => {
			if (this.#connections.get(socket) === res) this.#connections.set(socket, undefined);
			// Its head may have promised to keep the connection before the stop.
			if (this.#stopped) socket.end();
		});
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
	const { status, reason, spec, message } = refusal(error.code);
	const body = JSON.stringify({
		error: { message, type: spec.type, param: null, code: spec.code },
	});
	socket.end(
		[
			`HTTP/1.1 ${status} ${reason}`,
			'connection: close',
			'content-type: application/json; charset=utf-8',
			'cache-control: no-store',
			'x-content-type-options: nosniff',
			`x-request-id: ${newRequestId()}`,
			`content-length: ${Buffer.byteLength(body)}`,
			'',
			body,
		].join('\r\n'),
	);
}

function refusal(code: string | undefined) {
	if (code === 'HPE_HEADER_OVERFLOW') {
		const message = `The request line and headers have more than ${httpLimits.headBytes} bytes.`;
		const reason = 'Request Header Fields Too Large';
		return { status: 431, reason, spec: errors.E_BODY_TOO_LARGE, message };
	}
	if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
		const { message } = errors.E_REQUEST_TIMEOUT;
		return { status: 408, reason: 'Request Timeout', spec: errors.E_REQUEST_TIMEOUT, message };
	}
	const message = 'The request is no valid HTTP.';
	return { status: 400, reason: 'Bad Request', spec: errors.E_BODY_MALFORMED, message };
}
