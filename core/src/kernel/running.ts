import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import { BootError, bootProblem } from '../config/problem.ts';
import type { HttpServer } from '../http/server.ts';
import type { Logger } from '../ports/logger.ts';
import type { ServiceRef } from '../service.ts';
import type { App, AppState } from './contract.ts';
import { type Lifecycle, within } from './lifecycle.ts';
import type { ModelDirectory } from './models.ts';
import type { BootPlan } from './plan.ts';
import type { Registry } from './registry.ts';
import type { PluginSetups } from './setup.ts';
import { type BootTree, bootTree } from './tree.ts';

/** How long aborted requests and jobs may take to settle, in milliseconds. */
const abortMs = 4_000;

/** What a booted app consists of. */
export interface AppParts {
	readonly plan: BootPlan;
	readonly registry: Registry;
	readonly http: HttpServer;
	readonly setups: PluginSetups;
	readonly lifecycle: Lifecycle;
	readonly log: Logger;
	readonly models: ModelDirectory;
}

/** An app after its boot: the doors for requests, and the order of start and stop. */
export class RunningApp implements App {
	state: AppState = 'created';
	readonly #parts: AppParts;
	#starting: Promise<void> | undefined;
	#stopping: Promise<void> | undefined;

	constructor(parts: AppParts) {
		this.#parts = parts;
	}

	start(): Promise<void> {
		this.#starting ??= this.#start();
		return this.#starting;
	}

	stop(): Promise<void> {
		this.#stopping ??= this.#stop();
		return this.#stopping;
	}

	async listen(
		options: { host?: string; port?: number } = {},
	): Promise<{ url: string; host: string; port: number }> {
		const { server } = this.#parts.plan;
		const { host = server.host, port = server.port } = options;
		if (server.auth === 'off' && !isLoopback(host)) {
			throw new BootError([
				bootProblem(
					'E_AUTH_OFF',
					'config',
					'server.host',
					`authentication is off, and ${host} can be reached from other machines.`,
				),
			]);
		}
		await this.start();
		return this.#parts.http.listen({ host, port });
	}

	callback(): ReturnType<HttpServer['callback']> {
		const handle = this.#parts.http.callback();
		return (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => {
			if (this.state === 'ready') return handle(req, res, next);
			this.start().then(
				() => handle(req, res, next),
				(error: unknown) => (next ? next(error) : res.destroy()),
			);
		};
	}

	middleware(): Koa.Middleware {
		const handle = this.#parts.http.middleware();
		return async (context, next) => {
			if (this.state !== 'ready') await this.start();
			return handle(context, next);
		};
	}

	async fetch(request: Request): Promise<Response> {
		if (this.state !== 'ready') await this.start();
		return this.#parts.http.fetch(request);
	}

	openapi(): object {
		return this.#parts.http.openapi();
	}

	service<T>(ref: ServiceRef<T>): T {
		const found = this.#parts.registry.find(ref);
		if (found === undefined)
			throw new BootError([
				bootProblem('E_SERVICE_MISSING', 'app', ref.id, `nothing provides ${ref.id}.`),
			]);
		return found;
	}

	tree(): BootTree {
		return bootTree(this.#parts.plan, this.#parts.setups, this.#parts.models);
	}

	async #start(): Promise<void> {
		const { lifecycle, setups, plan, log } = this.#parts;
		this.state = 'starting';
		try {
			for (const { owner, path, task } of setups.starts)
				await lifecycle.step('start', owner, path, task);
			const { machine } = setups;
			if (machine && plan.jobs.work) {
				await lifecycle.step('recover jobs', 'kernel', 'jobs', () => machine.sweeper.start());
				machine.worker.start();
			}
			this.state = 'ready';
			log.info({}, 'ready');
		} catch (error) {
			await this.#end();
			throw error;
		}
	}

	async #stop(): Promise<void> {
		const { http, setups, plan, log } = this.#parts;
		const { drainDelayMs, graceMs } = plan.server;
		await this.#starting?.catch(() => undefined);
		if (this.state === 'stopped') return;
		const serving = this.state === 'ready';
		this.state = 'stopping';
		const worker = setups.machine?.worker;
		// Load balancers need a moment to notice the red readiness before the listener goes.
		if (serving && http.listening)
			await new Promise((resolve) => setTimeout(resolve, drainDelayMs));
		const closed = Promise.all([http.stopAccepting(), worker?.close()]);
		const drained = Promise.all([closed, http.drained(), worker?.drained()]);
		if (!(await within(drained, graceMs))) {
			log.warn({ requests: http.inFlight, jobs: worker?.running ?? 0 }, 'the grace period is over');
		}
		http.abortAll();
		await within(Promise.all([worker?.interrupt(), http.drained()]), abortMs);
		http.close();
		await setups.machine?.sweeper.stop();
		await this.#end();
	}

	async #end(): Promise<void> {
		await this.#parts.lifecycle.unwind();
		this.state = 'stopped';
		this.#parts.log.info({}, 'stopped');
	}
}

function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
