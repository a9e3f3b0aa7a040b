import type { RawClient } from './client.ts';
import type { Fleet, Member, Server } from './fleet.ts';
import type { Seeded } from './seeded.ts';

/** A start with nobody left over; times in milliseconds since the Unix epoch. */
export interface FreshStart {
	readonly from: number;
	/** When all that were started had said that they run. */
	readonly readyAt: number;
}

/** A server, and at times a worker beside it, that are killed and started again. */
export class Crew {
	readonly #fleet: Fleet;
	readonly #random: Seeded;
	#server: (Server & { readonly works: boolean }) | undefined;
	#worker: Member | undefined;
	readonly freshStarts: FreshStart[] = [];
	kills = 0;

	constructor(fleet: Fleet, random: Seeded) {
		this.#fleet = fleet;
		this.#random = random;
	}

	/** The client of the server, while there is one. */
	get client(): RawClient | undefined {
		return this.#server?.client;
	}

	/** Starts whoever is missing. Without a worker the server works, with one it may leave the work to it. */
	async complete(withWorker: boolean): Promise<void> {
		if (!withWorker && this.#worker) await this.#killWorker();
		if (!withWorker && this.#server?.works === false) await this.#killServer();
		const isFresh = !this.#server && !this.#worker;
		const from = Date.now();
		await Promise.all([
			this.#server ?? this.#startServer(!withWorker || this.#random.chance(0.5)),
			withWorker ? (this.#worker ?? this.#startWorker()) : undefined,
		]);
		if (isFresh) this.freshStarts.push({ from, readyAt: Date.now() });
	}

	/** Kills one of them, or both. */
	async killSome(): Promise<void> {
		const victims = this.#worker ? this.#random.pick(['server', 'worker', 'both'] as const) : 'server';
		await Promise.all([
			victims === 'worker' ? undefined : this.#killServer(),
			victims === 'server' ? undefined : this.#killWorker(),
		]);
	}

	async #startServer(works: boolean): Promise<void> {
		const server = await this.#fleet.serve({ role: works ? 'all' : 'api' });
		this.#server = { ...server, works };
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
		if (member) this.kills += 1;
		await member?.kill();
	}
}
