import { randomUUID } from 'node:crypto';
import type { BusEvent, Clock, Logger } from '@plinth/core';
import pg from 'pg';
import { clientConfig } from '../engine/pool.ts';

/** In milliseconds: how often the connection is tested, the wait for an answer, the longest wait before a new one. */
const times = { pingMs: 5_000, answerMs: 5_000, longestWaitMs: 2_000, echoMs: 5_000 } as const;

/** Bytes of one notification, which PostgreSQL limits to 7,999. */
const mostBytes = 7_900;

/** Events that wait for a connection. More are dropped, the oldest first: they are hints. */
const mostWaiting = 1_000;

/** What the connection works with. */
export interface HintTools {
	readonly url: string;
	readonly channel: string;
	readonly clock: Clock;
	readonly log: Logger;
	/** Runs a statement on another connection. */
	read(text: string, values: readonly unknown[]): Promise<unknown>;
	/** An event of another process has come. */
	receive(event: BusEvent): void;
}

/**
 * A connection that listens and notifies, and nothing else: a notification inside a writing transaction would make all
 * commits wait for each other. Events that are published while one notification is under way share the next. After a
 * loss it connects again; what happened meanwhile is found by polling.
 */
export class HintConnection {
	readonly #tools: HintTools;
	readonly #self = randomUUID();
	#client: pg.Client | undefined;
	#waiting: string[] = [];
	#isSending = false;
	#isClosed = false;
	#losses = 0;
	#cancelTimer: () => void = () => {};
	#cancelEcho: () => void = () => {};

	constructor(tools: HintTools) {
		this.#tools = tools;
	}

	/** Connects and listens. Rejects when that fails; later losses are mended without notice. */
	async open(): Promise<void> {
		const { url, channel } = this.#tools;
		const client = new pg.Client({ ...clientConfig(url), query_timeout: times.answerMs });
		client.on('error', (err) => this.#lose(client, err));
		client.on('end', () => this.#lose(client, new Error('The connection has ended.')));
		client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
		try {
			await client.connect();
			await client.query(`LISTEN "${channel}"`);
		} catch (error) {
			void client.end().catch(() => {});
			throw error;
		}
		if (this.#isClosed) return void (await client.end());
		this.#client = client;
		this.#losses = 0;
		this.#ping(client);
		this.#expectEcho();
		this.#flush();
	}

	/** Tells other processes of an event, soon and at most once. */
	send(event: BusEvent): void {
		const text = JSON.stringify(event);
		if (Buffer.byteLength(text) + this.#self.length + 8 > mostBytes) return;
		this.#waiting.push(text);
		if (this.#waiting.length > mostWaiting) this.#waiting.shift();
		this.#flush();
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		this.#cancelTimer();
		this.#cancelEcho();
		await this.#client?.end();
	}

	#flush(): void {
		const client = this.#client;
		if (!client || this.#isSending || this.#waiting.length === 0) return;
		this.#isSending = true;
		// At the end of the turn: what it publishes goes together.
		setImmediate(() => {
			const payloads = this.#payloads(this.#waiting.splice(0));
			this.#notify(client, payloads)
				.catch((error: unknown) => this.#lose(client, error))
				.finally(() => {
					this.#isSending = false;
					this.#flush();
				});
		});
	}

	#notify(client: pg.Client, payloads: readonly string[]): Promise<unknown> {
		return client.query('SELECT pg_notify($1, p) FROM unnest($2::text[]) p', [this.#tools.channel, payloads]);
	}

	/** JSON arrays of the sender and its events, each within the limit of a notification. */
	#payloads(events: readonly string[]): readonly string[] {
		const head = `["${this.#self}"`;
		const payloads = [head];
		for (const text of events) {
			const last = payloads.at(-1) ?? head;
			if (Buffer.byteLength(last) + Buffer.byteLength(text) + 2 > mostBytes) payloads.push(`${head},${text}`);
			else payloads[payloads.length - 1] = `${last},${text}`;
		}
		return payloads.map((payload) => `${payload}]`);
	}

	#hear(payload: string): void {
		try {
			const [sender, ...events] = JSON.parse(payload) as [string, ...BusEvent[]];
			if (sender === this.#self) this.#cancelEcho();
			else for (const event of events) this.#tools.receive(event);
		} catch (err) {
			this.#tools.log.debug({ err }, 'a notification was not understood');
		}
	}

	/** A connection that was cut without a word is noticed by an answer that does not come. */
	#ping(client: pg.Client): void {
		this.#cancelTimer = this.#tools.clock.after(times.pingMs, () => {
			client.query('SELECT 1').then(
				() => this.#client === client && this.#ping(client),
				(error: unknown) => this.#lose(client, error),
			);
		});
	}

	/** What another connection sends must come, which it does not through a pooler in transaction mode. */
	#expectEcho(): void {
		const { log, channel, clock, read } = this.#tools;
		this.#cancelEcho = clock.after(times.echoMs, () => {
			log.warn(
				{ channel },
				'Hints do not arrive, as behind a pooler: give postgresEvents a direct URL, or `listen: false`.',
			);
		});
		read('SELECT pg_notify($1, $2)', [channel, `["${this.#self}"]`]).catch(() => this.#cancelEcho());
	}

	#lose(client: pg.Client, err: unknown): void {
		if (this.#client !== client || this.#isClosed) return;
		this.#client = undefined;
		this.#cancelTimer();
		this.#cancelEcho();
		this.#tools.log.warn(
			{ err },
			'the connection for hints was lost; until there is another, polling finds what is new',
		);
		// Not in peace: the other side may be gone without a word.
		void client.end().catch(() => {});
		this.#reopen();
	}

	#reopen(): void {
		this.#losses += 1;
		const most = Math.min(times.longestWaitMs, 100 * 2 ** this.#losses);
		this.#cancelTimer = this.#tools.clock.after(most * (0.5 + Math.random() / 2), () => {
			this.open().catch(() => !this.#isClosed && this.#reopen());
		});
	}
}
