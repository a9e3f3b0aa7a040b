import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Headers, isBare, writeWholeHead } from '../answers/send.ts';
import { atEndOfTick } from '../at-end-of-tick.ts';
import { freeChunk } from '../buffers.ts';
import type { Exchange } from '../exchange.ts';

/** How an answer is written that comes in pieces. */
export interface PassedResponseOptions {
	/** Whether the length of the body is in its head. */
	readonly hasLength: boolean;
	/** Whether pieces are ours, and may be freed. */
	readonly givesMemory: boolean;
	/** The client has enough for now, and there is room again. */
	full(): void;
	room(): void;
}

/** The client's side of an answer that passes through: as few writes as can be, straight to the connection where nobody stands between. */
export class PassedResponse {
	readonly #res: ServerResponse;
	readonly #options: PassedResponseOptions;
	/** Whether bytes can be written as they are to go out. */
	readonly #isBare: boolean;
	/** Whether the pieces are framed here, and not by Node. */
	readonly #isFramed: boolean;
	/** Whether Node has been given the head with something behind it, or by itself. */
	#isHeadOut = false;
	/** Tells when there is room again. */
	#outlet: ServerResponse | Socket | undefined;

	constructor({ req, res }: Exchange, options: PassedResponseOptions) {
		this.#res = res;
		this.#options = options;
		this.#isBare = isBare(res);
		this.#isFramed = this.#isBare && !options.hasLength && req.httpVersion === '1.1';
	}

	/** Sets the head. It goes out with the first piece. */
	begin(exchange: Exchange, status: number, headers: Headers): void {
		if (!this.#isFramed) {
			writeWholeHead(exchange, status, headers);
			return;
		}
		writeWholeHead(exchange, status, { ...headers, 'transfer-encoding': 'chunked' });
		this.#res.chunkedEncoding = false;
	}

	/** Writes Latin-1 as the bytes that it stands for. With nothing the head goes out by itself. */
	write(text: string): void {
		const res = this.#res;
		// Behind the head Node has nothing to add to what is framed here or has a length.
		const socket = this.#isBare && this.#isHeadOut ? res.socket : null;
		if (text === '') {
			if (!this.#isHeadOut) res.flushHeaders();
		} else if (socket) {
			if (!socket.write(this.#framed(text), 'latin1')) this.#wait(socket);
		} else if (!this.#writeFirst(text)) this.#wait(res);
		this.#isHeadOut = true;
	}

	/** Writes a long piece as it is. Until there is room again it has to stay where it is. */
	pass(chunk: Buffer): void {
		const res = this.#res;
		const socket = this.#isBare ? res.socket : null;
		if (!socket) {
			const kept = this.#options.givesMemory ? chunk : Buffer.from(chunk);
			if (!res.write(kept)) this.#wait(res);
			return;
		}
		const taken = (error?: Error | null) => {
			if (this.#options.givesMemory && !error) freeChunk(chunk);
			if (socket.writableLength === 0) this.#options.room();
		};
		// All that goes out now is one write.
		socket.cork();
		this.write('');
		if (this.#isFramed) {
			socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
			socket.write(chunk);
			socket.write('\r\n', 'latin1', taken);
		} else socket.write(chunk, taken);
		socket.uncork();
		if (socket.writableLength > 0) this.#wait(socket);
	}

	/** Ends the answer with its last piece, soon. */
	end(text: string): void {
		this.close();
		const res = this.#res;
		const last = this.#framed(text) + (this.#isFramed ? '0\r\n\r\n' : '');
		if (!this.#isBare) res.end(Buffer.from(last, 'latin1'));
		else atEndOfTick(() => res.end(last, 'latin1'));
	}

	/** Listens no more. */
	close(): void {
		this.#outlet?.off('drain', this.#options.room);
	}

	#writeFirst(text: string): boolean {
		// What a host has wrapped may take no text that is none.
		if (!this.#isBare) return this.#res.write(Buffer.from(text, 'latin1'));
		return this.#res.write(this.#framed(text), 'latin1');
	}

	/** One frame (RFC 9112, §7.1), where they are made here. */
	#framed(text: string): string {
		if (text === '' || !this.#isFramed) return text;
		return `${text.length.toString(16)}\r\n${text}\r\n`;
	}

	#wait(outlet: ServerResponse | Socket): void {
		const { full, room } = this.#options;
		if (this.#outlet !== outlet) {
			this.close();
			this.#outlet = outlet.on('drain', room);
		}
		full();
	}
}
