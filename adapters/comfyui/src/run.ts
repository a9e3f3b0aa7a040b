import { modelError, orAbort } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import { refusalOf } from './failure.ts';
import type { Feed, FeedListener } from './feed.ts';
import { type Message, Progress } from './messages.ts';
import { type HistoryEntry, isOutage, type Picture, type PromptState, type Server } from './server.ts';
import type { Graph, Values, Workflow } from './workflow.ts';

/** Milliseconds between two looks while the socket is open, and while the server or its socket is away. */
const pollMs = { open: 10_000, away: 1_000 } as const;

/** How often a prompt may be lost by restarts of the server: while it ran, and at all. */
const mostLosses = { running: 1, all: 10 } as const;

/** A prompt and where it is, as a checkpoint keeps it. */
export interface Ticket {
	readonly server: Server;
	/** A canonical lower-case UUID. */
	readonly id: string;
	/** The client id to which the server sends its events. */
	readonly client: string;
}

/** What a prompt is made of. */
export interface Work {
	readonly makes: 'picture' | 'video';
	readonly values: Values;
	readonly images?: readonly Picture[];
	readonly mask?: Picture | undefined;
}

/**
 * Who hears of the work. Where nobody waits for the answer, there is a `checkpoint`, and an unreachable server is asked
 * again. Without `preview`, no previews are asked for.
 */
export type Surroundings = Pick<VideoRun, 'signal' | 'log'> & Partial<VideoRun>;

/** One prompt, from its first look to its end. */
export class Run implements FeedListener {
	readonly ticket: Ticket;
	readonly #feed: Feed;
	readonly #workflow: Workflow;
	readonly #work: Work;
	readonly #around: Surroundings;
	readonly #progress: Progress;
	readonly #losses = { running: 0, all: 0 };
	/** Losses of the socket when the prompt was accepted; undefined: it was not accepted in this run. */
	#acceptedAt: number | undefined;
	#wasRunning = false;
	#answeredAt: number;
	#change = Promise.withResolvers<void>();

	constructor(ticket: Ticket, feed: Feed, workflow: Workflow, work: Work, around: Surroundings) {
		this.ticket = ticket;
		this.#feed = feed;
		this.#workflow = workflow;
		this.#work = work;
		this.#around = around;
		this.#progress = new Progress(Object.keys(workflow.graph));
		this.#answeredAt = ticket.server.clock.now();
	}

	/** Resolves once the prompt is in the history. `isNew`: nobody has sent it. */
	async follow(isNew: boolean): Promise<HistoryEntry> {
		const { signal } = this.#around;
		this.#feed.listeners.add(this);
		try {
			for (let isSent = !isNew; ; isSent = true) {
				await orAbort(signal, this.#feed.open());
				this.#change = Promise.withResolvers();
				const state = await this.#step(isSent);
				if (typeof state === 'object') return state;
				const ms = this.#feed.isOpen && state ? pollMs.open : pollMs.away;
				const cancelTimer = this.ticket.server.clock.after(ms, this.#change.resolve);
				await orAbort(signal, this.#change.promise).finally(cancelTimer);
			}
		} finally {
			this.#feed.listeners.delete(this);
		}
	}

	onMessage(message: Message): void {
		const { signal, progress, preview } = this.#around;
		if (signal.aborted) return;
		if (message.type === 'execution_start') this.#wasRunning = true;
		if (message.preview) preview?.(message.preview);
		else progress?.(this.#progress.after(message));
	}

	onChange(): void {
		this.#change.resolve();
	}

	/** Looks for the prompt, and sends it when the server does not have it. Undefined: the server is away. */
	async #step(isSent: boolean): Promise<PromptState> {
		const { signal, checkpoint } = this.#around;
		const { clock, timeoutMs } = this.ticket.server;
		try {
			const state = isSent ? await this.ticket.server.look(this.ticket.id, signal) : undefined;
			this.#answeredAt = clock.now();
			this.#wasRunning ||= state === 'running';
			if (state) return state;
			if (this.#acceptedAt !== undefined) this.#countLoss(this.#acceptedAt);
			await this.#send();
			return 'pending';
		} catch (error) {
			signal.throwIfAborted();
			const mayWait = checkpoint !== undefined || this.#acceptedAt !== undefined;
			if (!isOutage(error) || !mayWait || clock.now() - this.#answeredAt >= timeoutMs) throw error;
			return undefined;
		}
	}

	/** The server had the prompt and has it no more. Throws when it is not to be sent again. */
	#countLoss(acceptedAt: number): void {
		const { isOpen, losses } = this.#feed;
		if (isOpen && losses === acceptedAt) {
			throw modelError('The work was taken out of the queue of the server of the model.');
		}
		this.#losses.all += 1;
		if (this.#wasRunning) this.#losses.running += 1;
		if (this.#losses.running > mostLosses.running || this.#losses.all > mostLosses.all) {
			throw modelError('The server of the model restarted again during this work.');
		}
		this.#around.log.warn({ server: this.ticket.server.url }, 'a ComfyUI has restarted; the prompt is sent again');
		this.#wasRunning = false;
		this.#acceptedAt = undefined;
	}

	async #send(): Promise<void> {
		const { server, client } = this.ticket;
		const { signal, progress, preview } = this.#around;
		const prompt = await orAbort(signal, this.#build());
		const { losses } = this.#feed;
		// Who needs no events names a client that nobody is.
		const client_id = progress || preview ? client : this.ticket.id;
		const extra_data = { preview_method: preview ? 'auto' : 'none' };
		const answer = await orAbort(signal, server.queue(this.ticket.id, { prompt, client_id, extra_data }));
		this.#answeredAt = server.clock.now();
		const refusal = refusalOf(answer, this.#workflow, this.#work.makes === 'video' ? 'input_reference' : 'image');
		if (refusal) {
			// The other outputs of a prompt that was accepted in part are of no use.
			await server.post('/queue', { delete: [this.ticket.id] }).catch(() => {});
			throw refusal;
		}
		this.#acceptedAt = losses;
	}

	/** Uploads the pictures of the request, and puts its values into the workflow. */
	async #build(): Promise<Graph> {
		const { values, images = [], mask } = this.#work;
		const upload = (what: string, picture: Picture) =>
			this.ticket.server.upload(`${this.ticket.id}-${what}`, picture, this.#around.signal);
		const image: string[] = [];
		for (const [index, picture] of images.entries()) image.push(await upload(`image-${index + 1}`, picture));
		return this.#workflow.fill({ ...values, image, ...(mask && { mask: await upload('mask', mask) }) });
	}
}
