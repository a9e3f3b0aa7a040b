import { randomUUID } from 'node:crypto';
import type { ModelContext, SelfCheck, services } from '@plinth/core';
import { z } from 'zod';
import type { CommonOptions } from './options.ts';
import { fileOf } from './outcome.ts';
import { Run, type RunContext, type Work } from './run.ts';
import { Server } from './server.ts';
import { readWorkflow, type Workflow } from './workflow.ts';

/** Maximum milliseconds for a server to report the length of its queue, and the length assumed without a report. */
const queueTimeoutMs = 5_000;
const noReport = Number.POSITIVE_INFINITY;

const classesSchema = z.record(z.string(), z.object({ output_node: z.unknown() }));

type Context = Omit<ModelContext<CommonOptions, { clock: typeof services.clock }>, 'id'>;

/** Reads the workflow and creates the {@link Prompts} of one model. Connections are closed when the app stops. */
export async function openPrompts(context: Context): Promise<Prompts> {
	return new Prompts(await readWorkflow(context.config, context.folder), context);
}

/** Runs the prompts of one model on its servers. */
export class Prompts implements SelfCheck {
	readonly workflow: Workflow;
	readonly #context: Context;
	readonly #servers: readonly Server[];
	/** Requests in the background. They are awaited when the app stops. */
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
		context.onStop(async () => {
			this.#cancelIdle();
			await Promise.all(this.#background);
			await Promise.all(this.#servers.map((server) => server.close()));
		});
	}

	/** Runs a new prompt, or continues an earlier one. Resolves to the chunks of its file. Rejects with a coded error. */
	async run(work: Work, runContext: RunContext): Promise<AsyncGenerator<Buffer>> {
		const { signal, checkpoint, resume = '' } = runContext;
		const { workflow } = this;
		this.#active += 1;
		this.#cancelIdle();
		const earlier = this.#find(resume);
		const { server, id } = earlier ?? { server: await this.#choose(signal), id: randomUUID() };
		try {
			if (!earlier) await checkpoint?.(`${id} ${server.url}`);
			signal.throwIfAborted();
			this.#loaded.add(server);
			const entry = await new Run({ ...work, server, id, workflow }, runContext).follow(earlier !== undefined);
			const path = `/view?${fileOf(entry, workflow.output, work.makes)}`;
			return server.read(path, { signal, retriesOutages: checkpoint !== undefined });
		} catch (error) {
			// Without a checkpoint, no later attempt fetches the result.
			if (signal.aborted && !checkpoint) this.#runLater(server.stop(id), 'a prompt could not be stopped');
			throw error;
		} finally {
			this.#active -= 1;
			this.#startIdleTimer();
		}
	}

	/** Stops the prompt of a token. A prompt that has ended or is unknown counts as stopped. */
	async cancel(token: string): Promise<void> {
		const prompt = this.#find(token);
		await prompt?.server.stop(prompt.id);
	}

	/** Makes all servers in use release the memory of their models. */
	async unload(): Promise<void> {
		this.#cancelIdle();
		const servers = [...this.#loaded];
		this.#loaded.clear();
		await Promise.all(servers.map((server) => server.post('/free', { unload_models: true, free_memory: true })));
	}

	/** Checks that every server has the node classes of the workflow. Resolves to one sentence for each problem. */
	async check(): Promise<readonly string[]> {
		const { graph, output } = this.workflow;
		const classes = Map.groupBy(Object.keys(graph), (id) => graph[id]?.class_type ?? '');
		const checks = this.#servers.flatMap((server) =>
			[...classes].map(async ([name, nodes]) => {
				const nodeClass = (await server.json(classesSchema, `/object_info/${encodeURIComponent(name)}`))[name];
				if (!nodeClass) return `${server.url} does not know the class ${name} of node ${nodes.join(', ')}.`;
				const isSaver = nodeClass.output_node !== false || !nodes.includes(output);
				return isSaver ? '' : `output: node ${output} (${name}) saves nothing.`;
			}),
		);
		const problems = checks.map((check) => check.catch(({ cause }: Error) => `${Object(cause).message}.`));
		return [...new Set(await Promise.all(problems))].filter(Boolean);
	}

	/** The server with the shortest queue. Servers with equal queues take turns, and so do unreachable servers. */
	async #choose(signal: AbortSignal): Promise<Server> {
		const [only, ...others] = this.#servers;
		if (only && others.length === 0) return only;
		const timeout = AbortSignal.any([signal, AbortSignal.timeout(queueTimeoutMs)]);
		const lengths = await Promise.all(this.#servers.map((server) => server.queueLength(timeout).catch(() => noReport)));
		const shortest = this.#servers.filter((_, index) => lengths[index] === Math.min(...lengths));
		return shortest[this.#turn++ % shortest.length] as Server;
	}

	/** The server and the prompt id of a token; undefined when the config does not have the server. */
	#find(token: string) {
		const [id = '', url] = token.split(' ');
		const server = this.#servers.find((one) => one.url === url);
		return server && { server, id };
	}

	#startIdleTimer(): void {
		const { config, services } = this.#context;
		if (this.#active > 0 || config.idleSeconds === undefined) return;
		const free = () => this.#runLater(this.unload(), 'a ComfyUI could not release its memory');
		this.#cancelIdle = services.clock.after(config.idleSeconds * 1_000, free);
	}

	#runLater(work: Promise<void>, failure: string): void {
		const done = work
			.catch((err: unknown) => this.#context.log.warn({ err }, failure))
			.finally(() => this.#background.delete(done));
		this.#background.add(done);
	}
}
