import type { SelfCheck } from '../ports/self-check.ts';

/** A doorbell: "this job may be claimable". The record in the `JobStore` is the truth. */
export interface QueueMessage {
	readonly jobId: string;
	readonly kind: string;
	/** For fairness between tenants. */
	readonly tenant: string;
}

/** An accepted message: the slot stays taken until `finished` settles. */
export interface Accepted {
	readonly finished: Promise<void>;
}

/**
 * Called with a message. It settles as soon as the store has answered `claim`: that is the moment at which the queue
 * acknowledges and forgets the message. Null: the job was not ours to run; the slot is free at once.
 */
export type QueueHandler = (message: QueueMessage) => Promise<Accepted | null>;

/** How much work one consumer takes at a time. */
export interface ConsumeOptions {
	/** Attempts in flight at once. */
	readonly concurrency: number;
	/** Attempts in flight at once for one tenant; never more than `concurrency`. */
	readonly perTenant: number;
}

/** A running subscription. */
export interface Consumer {
	/** Takes no further message; settles when no handler call is open. Running attempts go on. */
	close(): Promise<void>;
}

/**
 * Carries job ids to workers. May lose, repeat, delay or reorder messages: the kernel's reconciler rings again for every
 * claimable job. Among waiting messages tenants take turns.
 */
export interface JobQueue extends SelfCheck {
	/** Rings for a job. Ringing twice for a waiting job is harmless. */
	enqueue(message: QueueMessage): Promise<void>;
	consume(kind: string, options: ConsumeOptions, handler: QueueHandler): Consumer;
	/** How many messages of a kind wait. */
	depth(kind: string): Promise<number>;
}
