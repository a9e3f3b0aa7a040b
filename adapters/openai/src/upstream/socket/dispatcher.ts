import type { ForwardDispatch, ForwardDispatcher, ForwardHandler } from '@plinth/core';
import { type ConnectionOwner, KeptConnection } from './kept-connection.ts';

/** How often idle connections are looked through, in milliseconds. */
const sweepMs = 2_000;

/**
 * Sends requests to one server over plain connections (HTTP/1.1, RFC 9112) that it keeps. For what is passed on it does what a dispatcher of undici does, with one memory for all
 * that a connection reads and one write for a request: at a third of the cost of long answers. No TLS, no proxies, no pipelining.
 */
export class SocketDispatcher implements ForwardDispatcher, ConnectionOwner {
	readonly host: string;
	readonly port: number;
	readonly #authority: string;
	readonly #open = new Set<KeptConnection>();
	/** The one that was used last comes first: those that are not needed grow old. */
	readonly #idle: KeptConnection[] = [];
	/** The constant part of the heads, by the list of headers that it is made of. */
	readonly #heads = new WeakMap<
		readonly string[],
		{ readonly path: string; readonly text: string }
	>();
	#sweep: NodeJS.Timeout | undefined;
	#isDestroyed = false;

	/** `origin` begins with `http:`. */
	constructor(origin: string) {
		const { hostname, port, host } = new URL(origin);
		this.host = hostname.replace(/^\[|\]$/g, '');
		this.port = Number(port) || 80;
		this.#authority = host;
	}

	dispatch({ path, headers, body }: ForwardDispatch, handler: ForwardHandler): boolean {
		if (this.#isDestroyed) throw new Error('The connections to the server have been closed.');
		const head = `${this.#headOf(path, headers)}${body.length}\r\n\r\n`;
		this.#take().send(head, body, handler);
		return true;
	}

	/** Closes all connections, whatever is under way. */
	destroy(): void {
		this.#isDestroyed = true;
		clearInterval(this.#sweep);
		for (const connection of this.#open) connection.destroy();
	}

	free(connection: KeptConnection): void {
		this.#idle.push(connection);
		this.#sweep ??= setInterval(() => this.#closeOld(), sweepMs).unref();
	}

	gone(connection: KeptConnection): void {
		this.#open.delete(connection);
		const place = this.#idle.indexOf(connection);
		if (place >= 0) this.#idle.splice(place, 1);
	}

	#take(): KeptConnection {
		for (;;) {
			const kept = this.#idle.pop();
			if (kept?.isUsable) return kept;
			if (kept) kept.destroy();
			else break;
		}
		const connection = new KeptConnection(this);
		this.#open.add(connection);
		return connection;
	}

	#closeOld(): void {
		for (const connection of [...this.#idle]) {
			if (!connection.isUsable) connection.destroy();
		}
		if (this.#open.size > 0) return;
		clearInterval(this.#sweep);
		this.#sweep = undefined;
	}

	/** All of a head up to the length of the body. */
	#headOf(path: string, headers: readonly string[]): string {
		const known = this.#heads.get(headers);
		if (known?.path === path) return known.text;
		const names = headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
		const framing = names.find((name) => framed.has(name));
		if (framing) throw new Error(`The header "${framing}" is not the caller's: leave it out.`);
		const lines = [`POST ${path} HTTP/1.1`];
		// A config may have its own.
		if (!names.includes('host')) lines.push(`host: ${this.#authority}`);
		for (const [at, name] of names.entries()) lines.push(`${name}: ${headers[2 * at + 1]}`);
		// Written as Latin-1, a character beyond it could end the line.
		if (lines.some((line) => /[^\t\x20-\x7e\x80-\xff]/.test(line))) {
			throw new Error('A header has characters that HTTP does not carry.');
		}
		const text = `${lines.join('\r\n')}\r\ncontent-length: `;
		this.#heads.set(headers, { path, text });
		return text;
	}
}

/** What says where a request ends. */
const framed: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
