import { connect, type Socket } from 'node:net';
import type { ForwardHandler } from '@plinth/core';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader, type AnswerSource } from './answer-reader.ts';

/** How much is read at a time, in bytes: by a connection that has not needed more yet, for most streams bring little at a time, and by others. */
const firstReadBytes = 4_096;
const readBytes = 65_536;
/** Bodies up to this go out in one write with their head. */
const shortBytes = 16_384;
const connectMs = 10_000;
const keepAliveMs = 60_000;

/** Longest time between two requests, in milliseconds: uvicorn, on which most of these servers stand, closes its connections behind 5 seconds without a word. */
const mostIdleMs = 4_000;
/** How much sooner than the server says a connection is given up. */
const cautionMs = 1_000;

/** Where a connection leads to, and who is told when it is free. */
export interface ConnectionOwner {
	readonly host: string;
	readonly port: number;
	/** It waits for another request. */
	free(connection: KeptConnection): void;
	/** It has gone. */
	gone(connection: KeptConnection): void;
}

/** A connection that takes one request after the other. */
export class KeptConnection implements AnswerSource {
	readonly #owner: ConnectionOwner;
	readonly #socket: Socket;
	/** Of the answer that is under way. */
	#reader: AnswerReader | undefined;
	#isPaused = false;
	/** Until when it may be used again, by the clock of `performance`. */
	#usableUntil = 0;

	constructor(owner: ConnectionOwner) {
		this.#owner = owner;
		const { host, port } = owner;
		let buffer = Buffer.allocUnsafeSlow(firstReadBytes);
		this.#socket = connect({
			host,
			port,
			noDelay: true,
			// A server may think for minutes, and somebody between forget who is silent for so long.
			keepAlive: true,
			keepAliveInitialDelay: keepAliveMs,
			onread: {
				// Asked for behind each read.
				buffer: () => buffer,
				callback: (length) => {
					const bytes = buffer.subarray(0, length);
					const isFull = length === buffer.length;
					if (isFull && length < readBytes) buffer = Buffer.allocUnsafeSlow(readBytes);
					this.#read(bytes);
					return true;
				},
			},
		});
		this.#watch();
	}

	/** Whether the server will still take a request on it. */
	get isUsable(): boolean {
		return !this.#socket.destroyed && performance.now() < this.#usableUntil;
	}

	/** Sends a request and tells the handler what comes of it. */
	send(head: string, body: Uint8Array, handler: ForwardHandler): void {
		const reader = new AnswerReader(handler, this);
		this.#reader = reader;
		handler.onRequestStart(reader, {});
		if (reader.isOver) return;
		const socket = this.#socket;
		socket.ref();
		if (body.length <= shortBytes) {
			const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
			socket.write(head + bytes.toString('latin1'), 'latin1');
			return;
		}
		socket.cork();
		socket.write(head, 'latin1');
		socket.write(body);
		socket.uncork();
	}

	pause(): void {
		this.#isPaused = true;
		this.#socket.pause();
	}

	resume(): void {
		if (!this.#isPaused) return;
		this.#isPaused = false;
		this.#socket.resume();
	}

	abort(): void {
		this.#reader = undefined;
		this.#socket.destroy();
	}

	finish(head: AnswerHead | undefined): void {
		const socket = this.#socket;
		this.#reader = undefined;
		// An answer may come before the request has gone out: then what is left of that would be taken for the next one.
		if (!head?.keepsAlive || socket.destroyed || socket.writableLength > 0) {
			socket.destroy();
			return;
		}
		this.resume();
		// Nobody waits for one that has nothing to do.
		socket.unref();
		this.#usableUntil = performance.now() + idleMs(head.headers['keep-alive']);
		this.#owner.free(this);
	}

	/** Closes it, whatever is under way. */
	destroy(): void {
		this.#socket.destroy();
	}

	#read(bytes: Buffer): void {
		// Nobody has asked.
		if (!this.#reader) this.#socket.destroy();
		else this.#reader.read(bytes);
	}

	#watch(): void {
		const socket = this.#socket;
		const late = setTimeout(() => {
			socket.destroy(new ConnectTimeout('The server could not be reached in time.'));
		}, connectMs).unref();
		socket.once('connect', () => clearTimeout(late));
		socket.on('error', (error) => this.#reader?.fail(error));
		socket.on('end', () => {
			if (this.#reader) this.#reader.close();
			else socket.destroy();
		});
		socket.on('close', () => {
			clearTimeout(late);
			this.#reader?.fail(new ConnectionLost('The connection was closed.'));
			this.#owner.gone(this);
		});
	}
}

/** Nothing has been sent. */
export class ConnectTimeout extends Error {
	readonly code = 'E_CONNECT_TIMEOUT';
}

class ConnectionLost extends Error {
	readonly code = 'ECONNRESET';
}

/** For how long a server keeps a connection, by its header `keep-alive`. */
function idleMs(said: string | string[] | undefined): number {
	const [, seconds] = /\btimeout=(\d{1,6})\b/i.exec(String(said ?? '')) ?? [];
	if (seconds === undefined) return mostIdleMs;
	return Math.min(mostIdleMs, Math.max(0, Number(seconds) * 1_000 - cautionMs));
}
