import type {
	ConsumeOptions,
	Consumer,
	JobQueue,
	Logger,
	QueueHandler,
	QueueMessage,
} from '@plinth/core';

/** Hands waiting messages to consumers; tenants take turns. */
export class MemoryJobQueue implements JobQueue {
	readonly #kinds = new Map<string, WaitingLine>();
	readonly #consumers = new Set<MemoryConsumer>();
	readonly #log: Logger;

	constructor(log: Logger) {
		this.#log = log;
	}

	async enqueue(message: QueueMessage): Promise<void> {
		this.#line(message.kind).add(message);
		for (const consumer of this.#consumers) consumer.pump();
	}

	consume(kind: string, options: ConsumeOptions, handler: QueueHandler): Consumer {
		const consumer = new MemoryConsumer(this.#line(kind), options, handler, this.#log);
		this.#consumers.add(consumer);
		consumer.pump();
		return {
			close: async () => {
				this.#consumers.delete(consumer);
				await consumer.close();
			},
		};
	}

	async depth(kind: string): Promise<number> {
		return this.#line(kind).size;
	}

	#line(kind: string): WaitingLine {
		const line = this.#kinds.get(kind) ?? new WaitingLine();
		this.#kinds.set(kind, line);
		return line;
	}
}

/** Messages of one kind, by tenant and then by job id. The tenant served last stands last. */
class WaitingLine {
	readonly #tenants = new Map<string, QueueMessage[]>();

	get size(): number {
		return [...this.#tenants.values()].reduce((sum, messages) => sum + messages.length, 0);
	}

	/** Ids sort by creation, so a job that was interrupted has its old place again. */
	add(message: QueueMessage): void {
		const messages = this.#tenants.get(message.tenant) ?? [];
		this.#tenants.set(message.tenant, messages);
		const place = placeOf(message.jobId, messages);
		if (messages[place]?.jobId !== message.jobId) messages.splice(place, 0, message);
	}

	/** Takes the message of the oldest job of the tenant whose turn it is, among those that `mayTake`. */
	take(mayTake: (tenant: string) => boolean): QueueMessage | undefined {
		for (const [tenant, messages] of this.#tenants) {
			if (!mayTake(tenant)) continue;
			const message = messages.shift();
			this.#tenants.delete(tenant);
			if (messages.length > 0) this.#tenants.set(tenant, messages);
			return message;
		}
		return undefined;
	}
}

/** How many of the messages, which are sorted, are for jobs with smaller ids. */
function placeOf(jobId: string, messages: readonly QueueMessage[]): number {
	let low = 0;
	let high = messages.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((messages[middle]?.jobId ?? '') < jobId) low = middle + 1;
		else high = middle;
	}
	return low;
}

class MemoryConsumer {
	readonly #line: WaitingLine;
	readonly #options: ConsumeOptions;
	readonly #handler: QueueHandler;
	readonly #log: Logger;
	readonly #running = new Map<string, number>();
	readonly #calls = new Set<Promise<void>>();
	#taken = 0;
	#open = true;

	constructor(line: WaitingLine, options: ConsumeOptions, handler: QueueHandler, log: Logger) {
		this.#line = line;
		this.#options = options;
		this.#handler = handler;
		this.#log = log;
	}

	/** Takes messages while there are free slots. */
	pump(): void {
		while (this.#open && this.#taken < this.#options.concurrency) {
			const message = this.#line.take((tenant) => this.#count(tenant) < this.#options.perTenant);
			if (!message) return;
			this.#occupy(message.tenant, 1);
			const call = this.#call(message);
			this.#calls.add(call);
			void call.finally(() => this.#calls.delete(call));
		}
	}

	async close(): Promise<void> {
		this.#open = false;
		await Promise.all(this.#calls);
	}

	/** Settles with the handler; the slot stays taken until the attempt has finished. */
	async #call(message: QueueMessage): Promise<void> {
		try {
			const accepted = await this.#handler(message);
			void (accepted?.finished ?? Promise.resolve())
				.catch(() => {})
				.then(() => this.#free(message.tenant));
		} catch (error) {
			this.#log.warn({ err: error, jobId: message.jobId }, 'A queue handler failed.');
			this.#free(message.tenant);
		}
	}

	#free(tenant: string): void {
		this.#occupy(tenant, -1);
		this.pump();
	}

	#occupy(tenant: string, change: 1 | -1): void {
		this.#taken += change;
		this.#running.set(tenant, this.#count(tenant) + change);
		if (this.#count(tenant) === 0) this.#running.delete(tenant);
	}

	#count(tenant: string): number {
		return this.#running.get(tenant) ?? 0;
	}
}
