import type { IncomingMessage, ServerResponse } from 'node:http';
import { FetchServerResponse, toReqRes } from 'fetch-to-node';

/** Carries a fetch request through a handler for Node's request and response. The answer flows at the reader's pace. */
export function carryFetch(
	request: Request,
	handle: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Response> {
	let paced: PacedResponse | undefined;
	const { req, res } = toReqRes(request, {
		createServerResponse: (incoming) => {
			paced = new PacedResponse(incoming as unknown as IncomingMessage);
			return paced;
		},
	});
	// Node tells from these headers whether there is a body; a fetch stream brings neither.
	if (request.body && req.headers['content-length'] === undefined) {
		req.headers['transfer-encoding'] = 'chunked';
	}
	// A moment later: a server that aborts also cancels the answer, and would take one that fails before for a fault of
	// ours.
	const leave = () => queueMicrotask(() => res.destroy());
	const { signal } = request;
	if (signal.aborted) leave();
	signal.addEventListener('abort', leave, { once: true });
	res.once('close', () => {
		signal.removeEventListener('abort', leave);
		req.destroy();
	});
	handle(req, res);
	return (paced as PacedResponse).response(signal);
}

// These describe a connection (RFC 9110 §7.6.1), and there is none: whoever carries the answer on has its own.
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

type WriteCallback = (error?: Error) => void;

/**
 * fetch-to-node's response keeps no pace: every write succeeds at once and piles up. Here a write waits until the
 * reader asks for more, `close` is emitted as by Node, and both ends learn when the other one leaves.
 */
class PacedResponse extends FetchServerResponse {
	/** Writes that the reader has not asked for yet; an end needs no asking. */
	readonly #waiting: { readonly needsReader: boolean; readonly run: () => void }[] = [];
	// The first write carries the head, which is wanted anyway.
	#wanted = 1;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	/** From its event `finish` on, as in Node. fetch-to-node takes what nobody has read yet for unfinished. */
	override writableFinished = false;

	constructor(req: IncomingMessage) {
		super(req);
		// Behind the other listeners of `finish`, as in Node.
		this.once('finish', () => {
			this.writableFinished = true;
			queueMicrotask(() => this.emit('close'));
		});
	}

	/** Resolves with the head; rejects when the exchange is cut off before it. */
	response(signal: AbortSignal): Promise<Response> {
		return new Promise((resolve, reject) => {
			this.once('close', () => {
				if (this.headersSent) return;
				reject(signal.aborted ? signal.reason : new TypeError('The answer was cut off.'));
			});
			this.fetchResponse.then((head) => resolve(this.#paced(head as Response)), reject);
		});
	}

	override write(
		chunk: string | Uint8Array,
		encoding?: BufferEncoding | WriteCallback | null,
		callback?: WriteCallback,
	): boolean {
		// A copy: the source may reuse its buffer as soon as a write is done, and the reader has not seen it then.
		const bytes = Buffer.from(chunk as string);
		const done = typeof encoding === 'function' ? encoding : callback;
		this.#queue(true, () => super.write(bytes, null, done));
		return false;
	}

	override end(chunk?: string | Uint8Array | WriteCallback | null): this {
		this.#queue(false, () => super.end(chunk));
		return this;
	}

	override destroy(error?: Error): this {
		if (this.destroyed || this.writableFinished) return this;
		super.destroy(error);
		this.#controller?.error(error ?? new TypeError('The answer was cut off.'));
		queueMicrotask(() => this.emit('close'));
		return this;
	}

	#queue(needsReader: boolean, run: () => void): void {
		if (this.destroyed) return;
		this.#waiting.push({ needsReader, run });
		this.#proceed();
	}

	#proceed(): void {
		for (;;) {
			const next = this.#waiting[0];
			if (!next || this.destroyed || (next.needsReader && this.#wanted === 0)) return;
			if (next.needsReader) this.#wanted--;
			this.#waiting.shift();
			next.run();
			// Not at once: whoever wrote has not been told yet that there is no room.
			if (next.needsReader && this.#waiting.length === 0) {
				queueMicrotask(() => this.emit('drain'));
			}
		}
	}

	#paced(head: Response): Response {
		const { status, statusText, body } = head;
		const headers = new Headers(head.headers);
		for (const name of hopByHop) headers.delete(name);
		if (!body) return new Response(null, { status, statusText, headers });
		const reader = body.getReader();
		const stream = new ReadableStream<Uint8Array>(
			{
				start: (controller) => {
					this.#controller = controller;
				},
				pull: async (controller) => {
					this.#wanted = 1;
					this.#proceed();
					const { done, value } = await reader.read();
					if (this.destroyed) return;
					if (done) controller.close();
					else controller.enqueue(value);
				},
				cancel: () => {
					this.destroy();
				},
			},
			{ highWaterMark: 0 },
		);
		return new Response(stream, { status, statusText, headers });
	}
}
