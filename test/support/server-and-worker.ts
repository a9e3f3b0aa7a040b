import type { RawClient } from './client.ts';
import type { Fleet, Member, Server } from './fleet.ts';
import type { Seeded } from './seeded.ts';

/** A start while no process was running that runs jobs. Times are in milliseconds since the Unix epoch. */
export interface FreshStart {
	/** When the last process that runs jobs was killed. */
	readonly downSince: number;
	readonly from: number;
	/** When all started processes had reported that they are ready. */
	readonly readyAt: number;
}

/** A server and an optional worker, which the test kills and restarts. */
export class ServerAndWorker {
	readonly #fleet: Fleet;
	readonly #random: Seeded;
	#server: (Server & { readonly runsJobs: boolean }) | undefined;
	#worker: Member | undefined;
	/** Undefined while a process runs jobs, and before the first start. */
	#downSince: number | undefined;
	readonly freshStarts: FreshStart[] = [];
	kills = 0;

	constructor(fleet: Fleet, random: Seeded) {
		this.#fleet = fleet;
		this.#random = random;
	}

	/** The client of the server; undefined while the server is down. */
	get client(): RawClient | undefined {
		return this.#server?.client;
	}

	/**
	 * Starts the processes that are not running. Without a worker the server also runs jobs; with one it may run none.
	 */
	async startMissing(withWorker: boolean): Promise<void> {
		if (!withWorker && this.#worker) await this.#killWorker();
		if (!withWorker && this.#server?.runsJobs === false) await this.#killServer();
		const isFresh = !this.#canRunJobs;
		const from = Date.now();
		await Promise.all([
			this.#server ?? this.#startServer(!withWorker || this.#random.chance(0.5)),
			withWorker ? (this.#worker ?? this.#startWorker()) : undefined,
		]);
		if (!isFresh) return;
		this.freshStarts.push({ downSince: this.#downSince ?? from, from, readyAt: Date.now() });
		this.#downSince = undefined;
	}

	get #canRunJobs(): boolean {
		return this.#worker !== undefined || this.#server?.runsJobs === true;
	}

	/** Kills the server, the worker or both. */
	async killSome(): Promise<void> {
		const targets = this.#worker ? this.#random.pick(['server', 'worker', 'both'] as const) : 'server';
		await Promise.all([
			targets === 'worker' ? undefined : this.#killServer(),
			targets === 'server' ? undefined : this.#killWorker(),
		]);
	}

	async #startServer(runsJobs: boolean): Promise<void> {
		const server = await this.#fleet.serve({ role: runsJobs ? 'all' : 'api' });
		this.#server = { ...server, runsJobs };
	}

	async #startWorker(): Promise<void> {
		this.#worker = await this.#fleet.work();
	}

	async #killServer(): Promise<void> {
		const server = this.#server;
		this.#server = undefined;
		await this.#kill(server);
	}

	async #killWorker(): Promise<void> {
		const worker = this.#worker;
		this.#worker = undefined;
		await this.#kill(worker);
	}

	async #kill(member: Member | undefined): Promise<void> {
		if (!member) return;
		this.kills += 1;
		if (!this.#canRunJobs) this.#downSince ??= Date.now();
		await member.kill();
	}
}
