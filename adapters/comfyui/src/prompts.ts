import { randomUUID } from 'node:crypto';
import { type ModelContext, orAbort, plinthError, type services } from '@plinth/core';
import { failureOf, isOutage } from './failure.ts';
import { Feed } from './feed.ts';
import type { CommonOptions } from './options.ts';
import { Run, type Ticket, type Work } from './run.ts';
import { type HistoryEntry, Server } from './server.ts';
import { readWorkflow, type Workflow } from './workflow.ts';

/** Milliseconds between two looks while a server is told to stop a prompt, and the most looks. */
const cancelMs = 250;
const mostCancels = 40;

/** Milliseconds before all servers are asked again when none answers. */
const retryMs = 1_000;

type Context = Omit<ModelContext<CommonOptions, { clock: typeof services.clock }>, 'id'>;

/** Work that continues after a crash. */
export interface DurableWork {
	checkpoint(token: string): Promise<void>;
	readonly resume?: string;
}

/** A finished prompt. */
export type Finished = Pick<HistoryEntry, 'outputs'> & Pick<Ticket, 'server'>;

/** Reads the workflow and makes the prompts of one model. Everything is closed when the app stops. */
export async function openPrompts(context: Context): Promise<Prompts> {
	const prompts = new Prompts(await readWorkflow(context.config, context.folder), context);
	context.onStop(() => prompts.close());
	return prompts;
}

/** The prompts of one model at its servers. */
export class Prompts {
	readonly workflow: Workflow;
	readonly #servers: readonly Server[];
	readonly #context: Context;
	readonly #timeoutMs: number;
	/** This process is this client to all servers. */
	readonly #client = randomUUID();
	readonly #feeds = new Map<string, Feed>();
	readonly #sending = new Map<string, Promise<unknown>>();
	readonly #stopping = new Set<Promise<void>>();
	/** The servers that may have models in memory. */
	readonly #loaded = new Set<Server>();
	#active = 0;
	#turn = 0;
	#cancelIdle = () => {};

	constructor(workflow: Workflow, context: Context) {
		const { baseURL, headers, timeoutSeconds } = context.config;
		this.workflow = workflow;
		this.#context = context;
		this.#timeoutMs = timeoutSeconds * 1_000;
		this.#servers = baseURL.map((url) => new Server(url, headers, this.#timeoutMs));
	}

	/** Runs a prompt to its end, or follows that of an earlier attempt. Rejects with the coded error of a failed one. */
	async run(work: Work, durable?: DurableWork): Promise<Finished> {
		this.#active += 1;
		this.#cancelIdle();
		let ticket: Ticket | undefined;
		try {
			work.signal.throwIfAborted();
			const found = this.#find(durable?.resume ?? '');
			ticket = found ?? (await this.#begin(work, durable));
			this.#loaded.add(ticket.server);
			// The feed is listened to in the same turn: one without a listener is idle.
			const { outputs, status } = await new Run(ticket, this.#feed(ticket), work, {
				workflow: this.workflow,
				clock: this.#context.services.clock,
				timeoutMs: this.#timeoutMs,
				sending: this.#sending,
			}).follow(!found);
			const failure = failureOf({ outputs, status });
			if (failure) throw failure;
			return { server: ticket.server, outputs };
		} catch (error) {
			// Without a checkpoint, no later attempt fetches the work.
			if (ticket && work.signal.aborted && !durable) this.#stopLater(ticket);
			throw error;
		} finally {
			this.#active -= 1;
			this.#awaitIdle();
		}
	}

	/** Stops the prompt behind a token. One that has ended, or is unknown, counts as stopped. */
	async cancel(token: string): Promise<void> {
		const ticket = this.#find(token);
		if (ticket) await this.#stop(ticket);
	}

	/** Has all servers in use release the memory of their models. */
	async unload(): Promise<void> {
		this.#cancelIdle();
		const servers = [...this.#loaded];
		this.#loaded.clear();
		await Promise.all(servers.map((server) => server.free()));
	}

	/** Asks every server whether it knows the classes of the workflow. One sentence for each problem. */
	async check(): Promise<readonly string[]> {
		const { output } = this.workflow;
		const checks = this.#servers.flatMap((server) =>
			[...this.workflow.classes()].map(async ([name, nodes]) => {
				const info = await server.classInfo(name);
				if (!info) return `${server.url} does not know the class ${name} of node ${nodes.join(', ')}.`;
				const isSaver = info.output_node !== false || !nodes.includes(output);
				return isSaver ? '' : `output: node ${output} (${name}) saves nothing.`;
			}),
		);
		const found = await Promise.all(
			checks.map((check) => check.catch(({ cause }: Error) => `${Object(cause).message}.`)),
		);
		return [...new Set(found)].filter(Boolean);
	}

	async close(): Promise<void> {
		this.#cancelIdle();
		await Promise.allSettled(this.#stopping);
		for (const feed of this.#feeds.values()) feed.close();
		await Promise.all(this.#servers.map((server) => server.close()));
	}

	/** Chooses a server and names the prompt, before anything is sent. */
	async #begin(work: Work, durable: DurableWork | undefined): Promise<Ticket> {
		const ticket = { server: await this.#choose(work), id: randomUUID(), client: this.#client };
		await durable?.checkpoint(`${ticket.id} ${ticket.client} ${ticket.server.url}`);
		work.signal.throwIfAborted();
		return ticket;
	}

	/** What a token stands for; undefined when the config does not have its server. */
	#find(token: string): Ticket | undefined {
		const [id = '', client = '', url] = token.split(' ');
		const server = this.#servers.find((one) => one.url === url);
		return server && { server, id, client };
	}

	#feed({ server, client }: Ticket): Feed {
		for (const [key, feed] of this.#feeds) if (feed.isIdle) this.#feeds.delete(key);
		const key = `${client} ${server.url}`;
		const feed = this.#feeds.get(key) ?? new Feed(server, this.#context.services.clock, client);
		this.#feeds.set(key, feed);
		return feed;
	}

	/** The server with the shortest queue; servers of equal length take turns. Those that do not answer are left out. */
	async #choose({ signal, isPatient }: Work): Promise<Server> {
		const { clock } = this.#context.services;
		const [only, ...others] = this.#servers;
		if (only && others.length === 0) return only;
		for (const deadline = clock.now() + this.#timeoutMs; ; ) {
			const away = Number.POSITIVE_INFINITY;
			const lengths = await Promise.all(this.#servers.map((one) => one.queueLength(signal).catch(() => away)));
			signal.throwIfAborted();
			const shortest = Math.min(...lengths);
			const candidates = this.#servers.filter((_, index) => lengths[index] === shortest);
			const chosen = candidates[this.#turn++ % candidates.length];
			if (chosen && shortest < away) return chosen;
			if (!isPatient || clock.now() >= deadline) throw plinthError('E_MODEL_UNAVAILABLE');
			await orAbort(signal, this.#after(retryMs));
		}
	}

	#stopLater(ticket: Ticket): void {
		const stopping = this.#stop(ticket)
			.catch((err: unknown) => this.#context.log.warn({ err }, 'a prompt could not be stopped'))
			.finally(() => this.#stopping.delete(stopping));
		this.#stopping.add(stopping);
	}

	/**
	 * Stops a prompt, and looks whether it has stopped: ComfyUI forgets an interruption that comes while a prompt
	 * begins. A request that still queues it is awaited first.
	 */
	async #stop({ server, id }: Ticket): Promise<void> {
		await this.#sending.get(id)?.catch(() => {});
		for (let tries = 0; tries < mostCancels; tries++) {
			try {
				// Older versions have no route that looks and stops at once, and interrupt whatever runs.
				if (!(await server.cancel(id))) {
					const { at } = await server.look(id);
					if (at === 'pending') await server.delete(id);
					if (at === 'running') await server.interrupt(id);
				}
				const { at } = await server.look(id);
				if (at !== 'pending' && at !== 'running') return;
			} catch (error) {
				if (!isOutage(error)) throw error;
			}
			await this.#after(cancelMs);
		}
		throw new Error(`${server.url} does not stop a prompt`);
	}

	#after(ms: number): Promise<void> {
		return new Promise((resolve) => void this.#context.services.clock.after(ms, resolve));
	}

	#awaitIdle(): void {
		const { config, services, log } = this.#context;
		if (this.#active > 0 || config.idleSeconds === undefined) return;
		this.#cancelIdle();
		this.#cancelIdle = services.clock.after(config.idleSeconds * 1_000, () => {
			this.unload().catch((err: unknown) => log.warn({ err }, 'a ComfyUI could not release its memory'));
		});
	}
}
