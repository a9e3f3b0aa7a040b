import { type Clock, type Logger, modelError, orAbort } from '@plinth/core';
import { isOutage, type Params, refusalOf } from './failure.ts';
import type { Feed } from './feed.ts';
import type { Preview } from './preview.ts';
import { Progress } from './progress.ts';
import type { HistoryEntry, PromptState, Server } from './server.ts';
import type { Graph, Workflow } from './workflow.ts';

/** Milliseconds between two looks while the socket is open, while it is not, and after a prompt has ended. */
const pollMs = { open: 10_000, lost: 1_000, ended: 25 } as const;

/** How often a prompt may be lost by restarts of the server: while it ran, and at all. */
const mostLosses = { running: 1, all: 10 } as const;

/** What a prompt is made of, and who hears of it. */
export interface Work {
	/** Uploads the pictures of the request and returns the workflow with its values. `id` is unique. */
	build(server: Server, id: string): Promise<Graph>;
	readonly params: Params;
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Whether nobody waits for the answer, so that an unreachable server is asked again. */
	readonly isPatient: boolean;
	progress?(fraction: number): void;
	/** Absent: no previews are asked for. */
	preview?(preview: Preview): void;
}

/** A prompt and where it is, as a checkpoint keeps it. */
export interface Ticket {
	readonly server: Server;
	readonly id: string;
	readonly client: string;
}

/** The surroundings of runs. */
export interface RunTools {
	readonly workflow: Workflow;
	readonly clock: Clock;
	/** Maximum milliseconds without a response of the server. */
	readonly timeoutMs: number;
	/** Keeps the requests that queue prompts, so that a cancellation can wait for them. */
	readonly sending: Map<string, Promise<unknown>>;
}

/** One prompt, from its first look to its end. */
export class Run {
	readonly #ticket: Ticket;
	readonly #feed: Feed;
	readonly #work: Work;
	readonly #tools: RunTools;
	readonly #losses = { running: 0, all: 0 };
	#progress: Progress | undefined;
	/** Losses of the socket when the prompt was accepted; undefined: it was not accepted in this run. */
	#acceptedAt: number | undefined;
	#wasRunning = false;
	#isEnding = false;
	/** Whether the queue has changed since the last look. */
	#hasChanged = false;
	#lastAnswerAt: number;
	#wake = () => {};

	constructor(ticket: Ticket, feed: Feed, work: Work, tools: RunTools) {
		this.#ticket = ticket;
		this.#feed = feed;
		this.#work = work;
		this.#tools = tools;
		this.#lastAnswerAt = tools.clock.now();
	}

	/** Resolves once the prompt is in the history. `isNew`: nobody has sent it. */
	async follow(isNew: boolean): Promise<HistoryEntry> {
		const { signal } = this.#work;
		const stopListening = this.#feed.listen(this.#ticket.id, {
			onMessage: (message) => this.#onMessage(message),
			onPreview: (preview) => {
				if (!signal.aborted) this.#work.preview?.(preview);
			},
			onChange: () => {
				this.#hasChanged = true;
				this.#wake();
			},
		});
		try {
			let state: PromptState | undefined = isNew ? { at: 'unknown' } : undefined;
			for (;;) {
				await orAbort(signal, this.#feed.open());
				state = await this.#step(state);
				if (state?.at === 'history') return state.entry;
				if (state) await this.#pause(this.#waitMs());
				state = undefined;
			}
		} finally {
			stopListening();
		}
	}

	/** Looks for the prompt, and sends it when the server does not have it. Undefined: look again. */
	async #step(known: PromptState | undefined): Promise<PromptState | undefined> {
		try {
			const state = known ?? (await this.#look());
			this.#lastAnswerAt = this.#tools.clock.now();
			this.#wasRunning ||= state.at === 'running';
			if (state.at !== 'unknown') return state;
			if (this.#acceptedAt !== undefined) this.#countLoss(this.#acceptedAt);
			await this.#send();
			return { at: 'pending' };
		} catch (error) {
			this.#work.signal.throwIfAborted();
			const isOver = this.#tools.clock.now() - this.#lastAnswerAt >= this.#tools.timeoutMs;
			const mayWait = this.#work.isPatient || this.#acceptedAt !== undefined;
			if (!isOutage(error) || isOver || !mayWait) throw error;
			await this.#pause(pollMs.lost);
			return undefined;
		}
	}

	/** After the event of its end, a prompt is soon in the history. Else the queue is looked at first. */
	async #look(): Promise<PromptState> {
		const { server, id } = this.#ticket;
		const { signal } = this.#work;
		const isQuick = this.#isEnding || this.#hasChanged;
		this.#hasChanged = false;
		if (!isQuick) return server.look(id, signal);
		const state = await server.lookUp(id, signal);
		return state.at === 'unknown' ? server.look(id, signal) : state;
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
		this.#work.log.warn({ server: this.#ticket.server.url }, 'a ComfyUI has restarted; the prompt is sent again');
		this.#wasRunning = false;
		this.#isEnding = false;
		this.#acceptedAt = undefined;
	}

	/**
	 * Queues the prompt. The signal does not abort the request: whether it arrived would be unknown. A cancellation
	 * waits for it in `sending`.
	 */
	async #send(): Promise<void> {
		const { server, id, client } = this.#ticket;
		const { workflow, sending, clock } = this.#tools;
		const { signal, params, preview, progress } = this.#work;
		const graph = await orAbort(signal, this.#work.build(server, id));
		signal.throwIfAborted();
		this.#progress ??= new Progress(graph);
		const { losses } = this.#feed;
		// Events are sent to the client that is named. Who needs none names a client that nobody is.
		const isHeard = preview !== undefined || progress !== undefined;
		const request = server.prompt(id, isHeard ? client : id, graph, preview !== undefined);
		sending.set(id, request);
		const body = await orAbort(
			signal,
			request.finally(() => sending.delete(id)),
		);
		this.#lastAnswerAt = clock.now();
		const refusal = refusalOf(body, workflow, params);
		if (refusal) {
			// The other outputs of a prompt that was accepted in part are of no use.
			await server.delete(id).catch(() => {});
			throw refusal;
		}
		this.#acceptedAt = losses;
	}

	#onMessage(message: Parameters<Progress['after']>[0]): void {
		const { type } = message;
		if (type === 'execution_start') this.#wasRunning = true;
		const fraction = this.#work.progress && this.#progress?.after(message);
		if (fraction !== undefined && !this.#work.signal.aborted) this.#work.progress?.(fraction);
		const isEnd = type === 'executing' ? message.data.node === null : /^execution_(?:succ|err|inter)/.test(type);
		if (!isEnd) return;
		this.#isEnding = true;
		this.#wake();
	}

	#waitMs(): number {
		if (this.#hasChanged) return 0;
		if (this.#isEnding) return pollMs.ended;
		return this.#feed.isOpen ? pollMs.open : pollMs.lost;
	}

	/** Waits for an event or a time. */
	async #pause(ms: number): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const cancelTimer = this.#tools.clock.after(ms, resolve);
		this.#wake = resolve;
		try {
			await orAbort(this.#work.signal, promise);
		} finally {
			cancelTimer();
			this.#wake = () => {};
		}
	}
}
