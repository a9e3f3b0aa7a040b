import { randomUUID } from 'node:crypto';
import type { BusEvent, Clock, Logger } from '@plinth/core';
import pg from 'pg';
import { clientConfig } from '../engine/pool.ts';

/** Milliseconds: interval of tests, timeout of a response, longest delay before a reconnect, timeout of the echo. */
const times = { pingMs: 5_000, answerMs: 5_000, longestWaitMs: 2_000, echoMs: 5_000 } as const;

/** Maximum bytes of one notification, which PostgreSQL limits to 7,999. */
const maxBytes = 7_900;

/** Maximum events that wait for a connection. Beyond it the oldest are dropped, because they are only hints. */
const maxWaiting = 1_000;

/** The dependencies of the connection. */
export interface HintTools {
	readonly url: string;
	readonly channel: string;
	readonly clock: Clock;
	readonly log: Logger;
	/** Runs a statement on another connection. */
	read(text: string, values: readonly unknown[]): Promise<unknown>;
	/** Called with each event of another process. */
	receive(event: BusEvent): void;
}

/**
 * A connection that only listens and notifies, because a notification inside a writing transaction would make all
 * commits wait for each other. Events that are published while a notification is being sent share the next one. After a
 * loss it reconnects; events of the meantime are found by polling.
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

	/** Connects and listens. Rejects when that fails. After a later loss it reconnects by itself. */
	async open(): Promise<void> {
		const { url, channel } = this.#tools;
		const client = new pg.Client({ ...clientConfig(url), query_timeout: times.answerMs });
		client.on('error', (err) => this.#onLoss(client, err));
		client.on('end', () => this.#onLoss(client, new Error('The connection has ended.')));
		client.on('notification', ({ payload }) => this.#onNotification(payload ?? ''));
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

	/** Sends an event to other processes, soon and at most once. */
	send(event: BusEvent): void {
		const text = JSON.stringify(event);
		if (Buffer.byteLength(text) + this.#self.length + 8 > maxBytes) return;
		this.#waiting.push(text);
		if (this.#waiting.length > maxWaiting) this.#waiting.shift();
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
		// At the end of the turn, so that all events of the turn are sent together.
		setImmediate(() => {
			const payloads = this.#payloads(this.#waiting.splice(0));
			this.#notify(client, payloads)
				.catch((error: unknown) => this.#onLoss(client, error))
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
			if (Buffer.byteLength(last) + Buffer.byteLength(text) + 2 > maxBytes) payloads.push(`${head},${text}`);
			else payloads[payloads.length - 1] = `${last},${text}`;
		}
		return payloads.map((payload) => `${payload}]`);
	}

	#onNotification(payload: string): void {
		try {
			const [sender, ...events] = JSON.parse(payload) as [string, ...BusEvent[]];
			if (sender === this.#self) this.#cancelEcho();
			else for (const event of events) this.#tools.receive(event);
		} catch (err) {
			this.#tools.log.debug({ err }, 'a notification was not understood');
		}
	}

	/** Detects a connection that was cut without notice: the response does not arrive. */
	#ping(client: pg.Client): void {
		this.#cancelTimer = this.#tools.clock.after(times.pingMs, () => {
			client.query('SELECT 1').then(
				() => this.#client === client && this.#ping(client),
				(error: unknown) => this.#onLoss(client, error),
			);
		});
	}

	/** Checks that a notification of another connection arrives. Through a pooler in transaction mode it does not. */
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

	#onLoss(client: pg.Client, err: unknown): void {
		if (this.#client !== client || this.#isClosed) return;
		this.#client = undefined;
		this.#cancelTimer();
		this.#cancelEcho();
		this.#tools.log.warn(
			{ err },
			'the connection for hints was lost; until there is another, polling finds new events',
		);
		// Errors are ignored, because the server may be gone.
		void client.end().catch(() => {});
		this.#reopen();
	}

	#reopen(): void {
		this.#losses += 1;
		const maxDelayMs = Math.min(times.longestWaitMs, 100 * 2 ** this.#losses);
		this.#cancelTimer = this.#tools.clock.after(maxDelayMs * (0.5 + Math.random() / 2), () => {
			this.open().catch(() => !this.#isClosed && this.#reopen());
		});
	}
}
