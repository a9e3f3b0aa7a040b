import { randomUUID } from 'node:crypto';
import type { ModelContext, SelfCheck, services } from '@plinth/core';
import { z } from 'zod';
import { failureOf } from './failure.ts';
import { Feed } from './feed.ts';
import type { CommonOptions } from './options.ts';
import { fileOf, type SavedFile } from './output.ts';
import { Run, type Surroundings, type Ticket, type Work } from './run.ts';
import { Server } from './server.ts';
import { readWorkflow, type Workflow } from './workflow.ts';

/** Milliseconds that a server has to tell the length of its queue, and the length of one that does not. */
const chooseMs = 5_000;
const away = Number.POSITIVE_INFINITY;

const lengthSchema = z.object({ exec_info: z.object({ queue_remaining: z.number() }) });
const classesSchema = z.record(z.string(), z.object({ output_node: z.unknown() }));

type Context = Omit<ModelContext<CommonOptions, { clock: typeof services.clock }>, 'id'>;

/** Reads the workflow and makes the prompts of one model. Everything is closed when the app stops. */
export async function openPrompts(context: Context): Promise<Prompts> {
	return new Prompts(await readWorkflow(context.config, context.folder), context);
}

/** The prompts of one model at its servers. */
export class Prompts implements SelfCheck {
	readonly workflow: Workflow;
	readonly #context: Context;
	readonly #servers: readonly Server[];
	/** This process is this client to all servers. */
	readonly #client = randomUUID();
	readonly #feeds = new Map<string, Feed>();
	/** Requests that nobody waits for. */
	readonly #background = new Set<Promise<void>>();
	/** The servers that may have models in memory. */
	readonly #loaded = new Set<Server>();
	#active = 0;
	#turn = 0;
	#cancelIdle = () => {};

	constructor(workflow: Workflow, context: Context) {
		const { config, services } = context;
		this.workflow = workflow;
		this.#context = context;
		this.#servers = config.baseURL.map((url) => new Server(url, config, services.clock));
		context.onStop(() => this.#close());
	}

	/** Runs a prompt to its end, or follows that of an earlier attempt. Rejects with the coded error of a failed one. */
	async run(work: Work, around: Surroundings): Promise<SavedFile> {
		const { signal, checkpoint, resume = '' } = around;
		this.#active += 1;
		this.#cancelIdle();
		let ticket = this.#find(resume);
		const isNew = !ticket;
		try {
			ticket ??= { server: await this.#choose(signal), id: randomUUID(), client: this.#client };
			const { server, id, client } = ticket;
			if (isNew) await checkpoint?.(`${id} ${client} ${server.url}`);
			signal.throwIfAborted();
			this.#loaded.add(server);
			const run = new Run(ticket, this.#feed(ticket), this.workflow, work, around);
			const entry = await run.follow(isNew);
			const failure = failureOf(entry);
			if (failure) throw failure;
			return { server, query: fileOf(entry.outputs, this.workflow.output, work.makes) };
		} catch (error) {
			// Without a checkpoint, no later attempt fetches the work.
			if (ticket && signal.aborted && !checkpoint) {
				this.#runLater(ticket.server.stop(ticket.id), 'a prompt could not be stopped');
			}
			throw error;
		} finally {
			this.#active -= 1;
			this.#awaitIdle();
		}
	}

	/** Stops the prompt behind a token. One that has ended, or is unknown, counts as stopped. */
	async cancel(token: string): Promise<void> {
		const ticket = this.#find(token);
		await ticket?.server.stop(ticket.id);
	}

	/** Has all servers in use release the memory of their models. */
	async unload(): Promise<void> {
		this.#cancelIdle();
		const servers = [...this.#loaded];
		this.#loaded.clear();
		await Promise.all(servers.map((server) => server.post('/free', { unload_models: true, free_memory: true })));
	}

	/** Asks every server whether it knows the classes of the workflow. One sentence for each problem. */
	async check(): Promise<readonly string[]> {
		const { graph, output } = this.workflow;
		const classes = Map.groupBy(Object.keys(graph), (id) => graph[id]?.class_type ?? '');
		const checks = this.#servers.flatMap((server) =>
			[...classes].map(async ([name, nodes]) => {
				const found = (await server.json(classesSchema, `/object_info/${encodeURIComponent(name)}`))[name];
				if (!found) return `${server.url} does not know the class ${name} of node ${nodes.join(', ')}.`;
				const isSaver = found.output_node !== false || !nodes.includes(output);
				return isSaver ? '' : `output: node ${output} (${name}) saves nothing.`;
			}),
		);
		const told = checks.map((check) => check.catch(({ cause }: Error) => `${Object(cause).message}.`));
		return [...new Set(await Promise.all(told))].filter(Boolean);
	}

	async #close(): Promise<void> {
		this.#cancelIdle();
		await Promise.all(this.#background);
		for (const feed of this.#feeds.values()) feed.close();
		await Promise.all(this.#servers.map(({ agent }) => agent.destroy()));
	}

	/** The server with the shortest queue. Servers of equal length take turns, and so do those that do not answer. */
	async #choose(signal: AbortSignal): Promise<Server> {
		const [only, ...others] = this.#servers;
		if (only && others.length === 0) return only;
		const soon = AbortSignal.any([signal, AbortSignal.timeout(chooseMs)]);
		const asked = this.#servers.map((server) => server.json(lengthSchema, '/prompt', { signal: soon }));
		const told = await Promise.allSettled(asked);
		const lengths = told.map((one) => (one.status === 'fulfilled' ? one.value.exec_info.queue_remaining : away));
		const shortest = this.#servers.filter((_, index) => lengths[index] === Math.min(...lengths));
		return shortest[this.#turn++ % shortest.length] as Server;
	}

	/** What a token stands for; undefined when the config does not have its server. */
	#find(token: string): Ticket | undefined {
		const [id = '', client = '', url] = token.split(' ');
		const server = this.#servers.find((one) => one.url === url);
		return server && { server, id, client };
	}

	#feed({ server, client }: Ticket): Feed {
		for (const [key, feed] of this.#feeds) {
			// Only prompts of this process are still to come.
			if (feed.listeners.size > 0 || key.startsWith(this.#client)) continue;
			feed.close();
			this.#feeds.delete(key);
		}
		const key = `${client} ${server.url}`;
		const feed = this.#feeds.get(key) ?? new Feed(server, client);
		this.#feeds.set(key, feed);
		return feed;
	}

	#awaitIdle(): void {
		const { config, services } = this.#context;
		if (this.#active > 0 || config.idleSeconds === undefined) return;
		this.#cancelIdle = services.clock.after(config.idleSeconds * 1_000, () => {
			this.#runLater(this.unload(), 'a ComfyUI could not release its memory');
		});
	}

	#runLater(work: Promise<void>, failure: string): void {
		const done = work
			.catch((err: unknown) => this.#context.log.warn({ err }, failure))
			.finally(() => this.#background.delete(done));
		this.#background.add(done);
	}
}
