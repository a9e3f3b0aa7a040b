import type { Address, App, BootTree, HostMiddleware, Mount } from '../../contract/app.ts';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { ServiceRef } from '../../contract/service.ts';
import { removeLeftUploads } from '../../http/bodies/files/leftovers.ts';
import type { HttpServer } from '../../http/server.ts';
import type { JobWorker } from '../../jobs/worker.ts';
import type { ModelDirectory } from '../../models/directory.ts';
import { authOff, isLoopback } from '../boot/checks.ts';
import type { BootPlan } from '../boot/plan.ts';
import { BootError, bootProblem } from '../boot/problem.ts';
import type { JobMachine, PluginSetups } from '../boot/setup.ts';
import { bootTree } from '../boot/tree.ts';
import type { Registry } from '../containers/registry.ts';
import { flushLog } from '../log/log.ts';
import { type Lifecycle, within } from './lifecycle.ts';

/** How long aborted requests and jobs may take to settle, in milliseconds. */
const abortMs = 4_000;

/** The maximum delay of the end by a log that is not read, in milliseconds. */
const flushMs = 1_000;

export interface AppParts {
	readonly plan: BootPlan;
	readonly registry: Registry;
	readonly http: HttpServer;
	readonly setups: PluginSetups;
	readonly lifecycle: Lifecycle;
	readonly log: Logger;
	readonly models: ModelDirectory;
}

/** An app after its boot: the entry points for requests, and the order of start and stop. */
export class RunningApp implements App {
	state: App['state'] = 'created';
	readonly #parts: AppParts;
	#starting: Promise<void> | undefined;
	#isAnnounced = false;
	#stopping: Promise<void> | undefined;

	constructor(parts: AppParts) {
		this.#parts = parts;
	}

	start(): Promise<void> {
		if (this.#stopping) return Promise.reject(plinthError('E_STOPPING'));
		return this.#ensureStarted().then(() => this.#announce());
	}

	stop(): Promise<void> {
		this.#stopping ??= this.#stop();
		return this.#stopping;
	}

	async listen(options: { host?: string; port?: number; reusePort?: boolean } = {}): Promise<Address> {
		const { server } = this.#parts.plan;
		const { host = server.host, port = server.port } = options;
		if (server.auth === 'off' && !isLoopback(host)) throw new BootError([authOff(host)]);
		if (this.#stopping) throw plinthError('E_STOPPING');
		await this.#ensureStarted();
		if (this.#stopping) throw plinthError('E_STOPPING');
		const address = await this.#parts.http.listen({ ...options, host, port });
		this.#announce();
		return address;
	}

	callback(mount?: Mount): ReturnType<App['callback']> {
		return this.#parts.http.callback(mount);
	}

	middleware(mount?: Mount): HostMiddleware {
		return this.#parts.http.middleware(mount);
	}

	fetch(request: Request, mount?: Mount, next?: () => Response | Promise<Response>): Promise<Response> {
		return this.#parts.http.fetch(request, mount, next);
	}

	/** Waits for the start, which the first request triggers. During the stop, the HTTP server responds to requests. */
	async whenReady(): Promise<void> {
		if (this.state === 'ready' || this.#stopping) return;
		try {
			await this.start();
		} catch (cause) {
			throw plinthError('E_NOT_READY', { cause });
		}
	}

	checkModels(): Promise<readonly string[]> {
		return this.#parts.models.check();
	}

	openapi(): object {
		return this.#parts.http.openapi();
	}

	service<T>(ref: ServiceRef<T>): T {
		const service = this.#parts.registry.find(ref);
		if (service !== undefined) return service;
		const place = { owner: 'app', path: ref.id };
		throw new BootError([bootProblem('E_SERVICE_MISSING', place, `nothing provides ${ref.id}.`)]);
	}

	tree(): BootTree {
		return bootTree(this.#parts.plan, this.#parts.setups, this.#parts.models);
	}

	#ensureStarted(): Promise<void> {
		this.#starting ??= this.#start();
		return this.#starting;
	}

	/** Logs `ready` once, after the listener of the app is open: tools that wait for the line then send requests. */
	#announce(): void {
		if (this.#isAnnounced || this.state !== 'ready') return;
		this.#isAnnounced = true;
		this.#parts.log.info({}, 'ready');
	}

	async #start(): Promise<void> {
		const { lifecycle, setups, plan, log } = this.#parts;
		this.state = 'starting';
		try {
			for (const { owner, path, task } of setups.starts) await lifecycle.step('start', owner, path, task);
			if (setups.machine && plan.role !== 'api') await this.#startJobs(setups.machine);
			this.state = 'ready';
			void removeLeftUploads(log);
		} catch (error) {
			await this.#end();
			throw error;
		}
	}

	async #startJobs({ housekeeping, worker }: JobMachine): Promise<void> {
		const { lifecycle, setups, log } = this.#parts;
		const duty = setups.duty('core.housekeeping', (signal) => housekeeping.run(signal), log);
		lifecycle.onUnwind('kernel: housekeeping', () => duty.stop());
		lifecycle.onUnwind('kernel: worker', () => worker.interrupt());
		await lifecycle.step('start the worker', 'kernel', 'jobs', () => {
			duty.start();
			worker.start();
		});
	}

	async #stop(): Promise<void> {
		await this.#starting?.catch(() => undefined);
		if (this.state === 'stopped') return;
		const { http, setups, plan } = this.#parts;
		const isServing = this.state === 'ready' && http.listener.address !== undefined;
		this.state = 'stopping';
		if (isServing) {
			http.listener.endKeepAlive();
			// Load balancers need a moment to notice that the app is not ready, before the listener closes.
			await new Promise((resolve) => setTimeout(resolve, plan.server.drainDelayMs));
		}
		// Streams may last an hour and would delay the drain. Their clients reconnect to another process.
		await within(Promise.allSettled(setups.drains.map(async (task) => task())), abortMs);
		await this.#drain(setups.machine?.worker);
		http.listener.close();
		await this.#end();
	}

	async #drain(worker: JobWorker | undefined): Promise<void> {
		const { http, plan, log } = this.#parts;
		const jobs = worker?.close().then(() => worker.drained());
		const drained = Promise.all([http.stopAccepting(), http.pipeline.drained(), jobs]).catch((err: unknown) =>
			log.error({ err }, 'the drain failed'),
		);
		if (!(await within(drained, plan.server.graceMs))) {
			log.warn({ requests: http.pipeline.inFlight, jobs: worker?.running ?? 0 }, 'the grace period has ended');
		}
		http.pipeline.abortAll();
		await within(Promise.all([worker?.interrupt(), http.pipeline.drained()]), abortMs);
	}

	async #end(): Promise<void> {
		const { lifecycle, log } = this.#parts;
		await lifecycle.unwind();
		this.state = 'stopped';
		log.info({}, 'stopped');
		// The host may end the process after this.
		await within(flushLog(log), flushMs);
	}
}
