import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { ReadableStream as BodyStream } from 'node:stream/web';
import { http } from './required.ts';

/** Runs a handler for Node's request and response with a fetch request. The reader sets the pace of the response. */
export function handleFetch(request: Request, handle: RequestListener): Promise<Response> {
	const { signal } = request;
	const req = requestOf(request);
	const res = new FetchResponse();
	// One microtask after the abort: a server that aborts the request then cancels the response body. If the body failed
	// before it is cancelled, the server would report an error of the app.
	const onAbort = () => queueMicrotask(() => res.destroy());
	if (signal.aborted) onAbort();
	signal.addEventListener('abort', onAbort, { once: true });
	res.once('close', () => {
		signal.removeEventListener('abort', onAbort);
		req.destroy();
		// Not earlier: when the caller sees the rejection, the signal of the handler has to be aborted.
		if (!res.headersSent) res.response.reject(signal.aborted ? signal.reason : cutOff());
	});
	handle(req, res as unknown as ServerResponse);
	return res.response.promise;
}

/** The part of Node's request that the pipeline uses. It has no socket. */
function requestOf({ method, url, headers: sent, body, bodyUsed }: Request): IncomingMessage {
	const { pathname, search } = new URL(url);
	const headers = Object.fromEntries(sent);
	const rawHeaders = Object.entries(headers).flat();
	// A request with a body has `content-length` or `transfer-encoding`. A fetch request with a stream has neither.
	if (body && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
	// Without `preventCancel`, undici causes an unhandled rejection when a form is cancelled while it is being read.
	const isReadable = body && !bodyUsed && !body.locked;
	const chunks = isReadable ? (body as BodyStream).values({ preventCancel: true }) : [];
	const bytes = Readable.from(chunks, { objectMode: false });
	// An error without a listener would end the process.
	bytes.on('error', () => {});
	const head = { method, url: `${pathname}${search}`, headers, rawHeaders, httpVersion: '1.1' };
	return Object.assign(bytes, head) as unknown as IncomingMessage;
}

// These describe a connection (RFC 9110 §7.6.1), and there is none here. The server that sends the response sets them.
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

/** Statuses without a body. The constructor of `Response` throws if it gets one for them. */
const bodiless = [204, 205, 304];

/**
 * The part of Node's response that the pipeline uses, backed by a web stream. The first piece is written with the head;
 * each later one waits until the reader requests it.
 */
class FetchResponse extends Writable {
	statusCode = 200;
	headersSent = false;
	/** Resolves when the head has been written. */
	readonly response: PromiseWithResolvers<Response> = Promise.withResolvers();
	readonly #headers = new Headers();
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	/** Writes the piece that the reader has not requested yet. */
	#writeNext = () => {};

	setHeader(name: string, value: string): void {
		this.#headers.set(name, value);
	}

	getHeader(name: string): string | undefined {
		return this.#headers.get(name) ?? undefined;
	}

	hasHeader(name: string): boolean {
		return this.#headers.has(name);
	}

	removeHeader(name: string): void {
		this.#headers.delete(name);
	}

	getHeaderNames(): string[] {
		return [...this.#headers.keys()];
	}

	flushHeaders(): void {
		if (this.headersSent) return;
		for (const name of hopByHop) this.#headers.delete(name);
		const { statusCode: status } = this;
		const body = new ReadableStream<Uint8Array>({
			start: (controller) => {
				this.#controller = controller;
			},
			pull: () => this.#writeNext(),
			cancel: () => void this.destroy(),
		});
		const init = { status, statusText: http.STATUS_CODES[status] ?? '', headers: this.#headers };
		const response = new Response(bodiless.includes(status) ? null : body, init);
		this.headersSent = true;
		// Deferred until a short response has ended and its request no longer counts against the limits.
		setImmediate(() => this.response.resolve(response));
	}

	override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
		this.flushHeaders();
		this.#writeNext = () => {
			this.#writeNext = () => {};
			// A copy: the source may reuse its buffer when the write is done, which is before the reader reads it.
			if (chunk.length > 0) this.#controller?.enqueue(new Uint8Array(chunk));
			done();
		};
		if (Number(this.#controller?.desiredSize) > 0) this.#writeNext();
	}

	override _final(done: () => void): void {
		this.flushHeaders();
		this.#controller?.close();
		done();
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		if (!this.writableFinished) this.#controller?.error(error ?? cutOff());
		done(error);
	}
}

function cutOff(): Error {
	return new TypeError('The response was cut off.');
}
