import { signal } from '@preact/signals';
import { key } from '../state/session.ts';
import { type ApiError, isAbort, toApiError, unreachable } from './error.ts';
import { type StreamEvent, streamEvents } from './stream.ts';

/** The connection to the feed. `off`: this server or this key has no `/v1/events`, so views poll instead. */
export type Connection = 'off' | 'connecting' | 'connected' | 'lost' | 'restored';

/** An event of a job of the tenant. */
export interface JobEvent {
	/** `job.queued`, `job.started`, `job.progress`, `job.completed`, `job.failed`, `job.deleted`, `job.state`, … */
	readonly type: string;
	/** Unix seconds. */
	readonly created_at: number;
	/** The job as its own route returns it. */
	readonly data: Readonly<Record<string, unknown>> & { readonly id: string };
	readonly position?: number;
	/** Of `job.preview`: a picture as a data URL. */
	readonly preview?: string;
}

/** A listener of job events. */
export interface FeedListener {
	event(event: JobEvent): void;
	/** Called when events may have been missed, and at the first connection: lists must be loaded again. */
	reset(): void;
}

/** The state of the connection to the feed. */
export const connection = signal<Connection>('off');
/** Whether no event was missed at the last reconnection. */
export const isGapless = signal(true);

const listeners = new Set<FeedListener>();
const retryWaitsMs = [250, 1_000, 2_000, 4_000] as const;
/** The server sends at least a comment every 15 seconds. */
const maxSilenceMs = 40_000;
/** How long a restored connection is announced. */
const restoredMs = 5_000;

/** Adds a listener. The returned function removes it. */
export function followJobs(listener: FeedListener): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Connects, and reconnects after every loss, until the returned function is called. */
export function startFeed(): () => void {
	const stop = new AbortController();
	void new Feed(stop.signal).run();
	return () => {
		stop.abort();
		connection.value = 'off';
	};
}

/** Ends the wait before the next attempt. */
export function retryNow(): void {
	dispatchEvent(new Event('online'));
}

class Feed {
	readonly #stop: AbortSignal;
	#lastId: string | undefined;
	#failures = 0;

	constructor(stop: AbortSignal) {
		this.#stop = stop;
	}

	async run(): Promise<void> {
		connection.value = 'connecting';
		while (!this.#stop.aborted) {
			const failure = await this.#connect();
			if (this.#stop.aborted) return;
			if (failure && isFinal(failure)) {
				connection.value = 'off';
				return;
			}
			if (failure) connection.value = 'lost';
			await pause(retryWaitsMs[Math.min(this.#failures, retryWaitsMs.length - 1)] ?? 0, this.#stop);
			this.#failures += 1;
		}
	}

	/** Resolves when the stream ends: with an error, or with undefined when the server closed it normally. */
	async #connect(): Promise<ApiError | undefined> {
		const attempt = new AbortController();
		const disconnect = () => attempt.abort();
		let silence: ReturnType<typeof setTimeout> | undefined;
		const onActivity = () => {
			clearTimeout(silence);
			silence = setTimeout(disconnect, maxSilenceMs);
		};
		addEventListener('offline', disconnect);
		try {
			onActivity();
			const stream = streamEvents('GET', '/v1/events', {
				signal: AbortSignal.any([this.#stop, attempt.signal]),
				headers: this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId },
				onActivity,
				onOpen: () => this.#handleOpen(),
			});
			for await (const event of stream) this.#handleEvent(event);
			return undefined;
		} catch (error) {
			return isAbort(error) ? unreachable() : toApiError(error);
		} finally {
			removeEventListener('offline', disconnect);
			clearTimeout(silence);
		}
	}

	#handleEvent({ event, id, data }: StreamEvent): void {
		if (id !== undefined) this.#lastId = id;
		if (event === 'stream.ready') {
			// Sent instead of the missed events when these are too many or no longer kept.
			isGapless.value = false;
			for (const listener of listeners) listener.reset();
		}
		if (!event.startsWith('job.')) return;
		const parsed = JSON.parse(data) as JobEvent;
		for (const listener of listeners) listener.event(parsed);
	}

	#handleOpen(): void {
		this.#failures = 0;
		isGapless.value = this.#lastId !== undefined;
		if (connection.value !== 'lost') {
			connection.value = 'connected';
			return;
		}
		connection.value = 'restored';
		setTimeout(() => {
			if (connection.value === 'restored') connection.value = 'connected';
		}, restoredMs);
	}
}

/** Errors that another attempt would get again: no such route, or a key without the scope. */
function isFinal({ status }: ApiError): boolean {
	return key.value === undefined || [401, 403, 404].includes(status);
}

/** Waits `ms`, or less when the browser comes online or the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = () => {
			clearTimeout(timer);
			removeEventListener('online', done);
			signal.removeEventListener('abort', done);
			resolve();
		};
		const timer = setTimeout(done, ms);
		addEventListener('online', done);
		signal.addEventListener('abort', done);
	});
}
