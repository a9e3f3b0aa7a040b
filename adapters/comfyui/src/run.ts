import { modelError, orAbort } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import { isOutage, refusalOf } from './failure.ts';
import type { Feed, FeedListener } from './feed.ts';
import { type Message, Progress } from './messages.ts';
import type { OutputKind } from './output.ts';
import type { HistoryEntry, Picture, Prompt, PromptState } from './prompt.ts';
import type { Values, Workflow } from './workflow.ts';

/** Milliseconds between two looks while the socket is open, and while the server or its socket is away. */
const pollMs = { open: 10_000, away: 1_000 } as const;

/** How often a prompt may be lost by restarts of the server: while it ran, and at all. */
const mostLosses = { running: 1, all: 10 } as const;

/** What a prompt is made of. */
export interface Work {
	readonly values: Values;
	readonly images?: readonly Picture[];
	readonly mask?: Picture | undefined;
	readonly makes: OutputKind;
}

/**
 * Who hears of the work. Where nobody waits for the answer, there is a `checkpoint`, and an unreachable server is asked
 * again. Without `preview`, no previews are asked for.
 */
export type Surroundings = Pick<VideoRun, 'signal' | 'log'> & Partial<VideoRun>;

/** One prompt, from its first look to its end. */
export class Run implements FeedListener {
	readonly id: string;
	readonly #prompt: Prompt;
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
	/** Settles when the queue has changed since the last look. */
	#change = Promise.withResolvers<void>();

	constructor(prompt: Prompt, feed: Feed, workflow: Workflow, work: Work, around: Surroundings) {
		this.id = prompt.id;
		this.#prompt = prompt;
		this.#feed = feed;
		this.#workflow = workflow;
		this.#work = work;
		this.#around = around;
		this.#progress = new Progress(workflow.nodes);
		this.#answeredAt = prompt.server.clock.now();
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
				const cancelTimer = this.#prompt.server.clock.after(ms, this.#change.resolve);
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
		const { clock, timeoutMs } = this.#prompt.server;
		try {
			const state = isSent ? await this.#prompt.look(signal) : undefined;
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
		const { url } = this.#prompt.server;
		this.#around.log.warn({ server: url }, 'a ComfyUI has restarted; the prompt is sent again');
		this.#wasRunning = false;
		this.#acceptedAt = undefined;
	}

	async #send(): Promise<void> {
		const { signal, progress, preview } = this.#around;
		const values = await orAbort(signal, this.#upload());
		const { losses } = this.#feed;
		const events = { isHeard: Boolean(progress ?? preview), hasPreviews: preview !== undefined };
		const answer = await orAbort(signal, this.#prompt.send(this.#workflow.fill(values), events));
		this.#answeredAt = this.#prompt.server.clock.now();
		const refusal = refusalOf(answer, this.#workflow, this.#work.makes);
		if (refusal) {
			// The other outputs of a prompt that was accepted in part are of no use.
			await this.#prompt.dequeue().catch(() => {});
			throw refusal;
		}
		this.#acceptedAt = losses;
	}

	async #upload(): Promise<Values> {
		const { values, images = [], mask } = this.#work;
		const upload = (what: string, picture: Picture) => this.#prompt.upload(what, picture, this.#around.signal);
		const image: string[] = [];
		for (const [index, picture] of images.entries()) image.push(await upload(`image-${index + 1}`, picture));
		return { ...values, image, ...(mask && { mask: await upload('mask', mask) }) };
	}
}
