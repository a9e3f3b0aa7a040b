import { settlesWithin } from '../contract/abort.ts';
import type { GroupStatus, Unloadable } from '../contract/model.ts';
import type { ResolvedGroup } from '../contract/model-settings.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { type ModelSlot, type SlotCaller, type SlotQueue, WaitQueue } from './wait-queue.ts';

/** How long the release of a model's memory may take before the next model loads anyway, in milliseconds. */
const unloadTimeoutMs = 30_000;

const reservedMs = 5_000;

export type GroupOptions = Pick<ResolvedGroup, 'memory' | 'idleSeconds' | 'maxBatchSeconds' | 'waiting'>;

export interface GroupMember {
	readonly id: string;
	readonly model: Unloadable;
	/** The memory of the device that it needs while it is loaded; in an exclusive group 1, which is all of it. */
	readonly memory: number;
	readonly concurrency: number;
}

export interface GroupSlots extends SlotQueue {
	readonly status: GroupStatus;
	/** Waits for a slot and reserves it for some seconds: the next call of the model receives it. */
	reserve(caller: SlotCaller): Promise<void>;
}

interface Entry {
	readonly member: GroupMember;
	isLoaded: boolean;
	/** Slots in use, reserved ones included. */
	active: number;
	readonly reserved: ModelSlot[];
	cancelIdle: () => void;
}

/**
 * Models that share the memory of a device, such as a graphics card; in an exclusive group, each needs all of it. The
 * first call of a model loads it; to make room, idle models are unloaded, the least recently used one first. Calls of
 * loaded models come first for `maxBatchSeconds` after the last load, then the first waiting call of one not loaded.
 */
export class ModelGroup {
	readonly id: string;
	readonly #options: GroupOptions;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #queue: WaitQueue<Entry>;
	/** By model, the least recently used one first. */
	readonly #entries = new Map<string, Entry>();
	#loadedAt = Number.NEGATIVE_INFINITY;
	/** How many loads and unloads are in progress. No call begins meanwhile. */
	#changes = 0;

	constructor(id: string, options: GroupOptions, clock: Clock, log: Logger) {
		this.id = id;
		this.#options = options;
		this.#clock = clock;
		this.#log = log;
		this.#queue = new WaitQueue(1, options.waiting, clock);
	}

	/** Adds a model and returns its slots. Each call of the model needs one. */
	add(member: GroupMember): GroupSlots {
		const entry: Entry = { member, isLoaded: false, active: 0, reserved: [], cancelIdle: () => {} };
		this.#entries.set(member.id, entry);
		const canBegin = () => entry.reserved.length > 0 || (this.#queue.size === 0 && this.#fits(entry));
		const statusOf = () => this.#statusOf(entry);
		return {
			enter: (caller) => this.#enter(entry, caller),
			reserve: (caller) => this.#reserve(entry, caller),
			get hasFreeSlot() {
				return canBegin();
			},
			get slots() {
				return canBegin() ? member.concurrency : entry.active;
			},
			get status() {
				return statusOf();
			},
		};
	}

	#statusOf(entry: Entry): GroupStatus {
		const state = entry.active > 0 ? 'busy' : entry.isLoaded ? 'loaded' : 'unloaded';
		const waiting = [...this.#queue.items()].filter((item) => item === entry).length;
		return { id: this.id, state, waiting };
	}

	#enter(entry: Entry, caller: SlotCaller): ModelSlot | Promise<ModelSlot> {
		const reserved = entry.reserved.shift();
		if (reserved) return reserved;
		const slot = this.#queue.wait(caller, entry);
		this.#advance();
		return slot;
	}

	async #reserve(entry: Entry, caller: SlotCaller): Promise<void> {
		const slot = await this.#enter(entry, caller);
		entry.reserved.push(slot);
		this.#clock.after(reservedMs, () => {
			const index = entry.reserved.indexOf(slot);
			if (index >= 0) entry.reserved.splice(index, 1)[0]?.free();
		});
	}

	#advance(): void {
		if (this.#changes > 0) return;
		const next = [...this.#queue.items()].find((entry) => !entry.isLoaded);
		const isBatch = !next || this.#clock.now() - this.#loadedAt < this.#options.maxBatchSeconds * 1_000;
		const mayBegin = (entry: Entry) => entry.isLoaded && entry.active < entry.member.concurrency;
		while (isBatch && this.#queue.serve((entry) => this.#slot(entry), mayBegin));
		if (next) this.#makeRoom(next);
	}

	#slot(entry: Entry): ModelSlot {
		entry.active += 1;
		entry.cancelIdle();
		this.#entries.delete(entry.member.id);
		this.#entries.set(entry.member.id, entry);
		return this.#queue.slot(() => {
			entry.active -= 1;
			this.#advance();
			if (entry.active === 0) this.#watchIdle(entry);
		});
	}

	/** The idle models to unload so that a model fits; undefined if that is not enough. */
	#idleModelsToUnload({ member }: Entry): readonly Entry[] | undefined {
		const loaded = [...this.#entries.values()].filter(({ isLoaded }) => isLoaded);
		let free = (this.#options.memory ?? 1) - loaded.reduce((sum, entry) => sum + entry.member.memory, 0);
		const toUnload: Entry[] = [];
		for (const entry of loaded.filter(({ active }) => active === 0)) {
			if (free >= member.memory) break;
			free += entry.member.memory;
			toUnload.push(entry);
		}
		return free >= member.memory ? toUnload : undefined;
	}

	#fits(entry: Entry): boolean {
		if (this.#changes > 0) return false;
		return entry.isLoaded ? entry.active < entry.member.concurrency : this.#idleModelsToUnload(entry) !== undefined;
	}

	/** Loads a model if there is room for it, or if unloading idle models makes room. */
	#makeRoom(next: Entry): void {
		const toUnload = this.#idleModelsToUnload(next);
		if (!toUnload) return;
		this.#changes += 1;
		const load = () => {
			this.#changes -= 1;
			next.isLoaded = true;
			this.#loadedAt = this.#clock.now();
			// The caller that the model was loaded for begins, even if calls of other models come first.
			this.#queue.serve(
				(entry) => this.#slot(entry),
				(entry) => entry === next,
			);
			this.#advance();
			if (next.active === 0) this.#watchIdle(next);
		};
		if (toUnload.length === 0) load();
		else Promise.all(toUnload.map((entry) => this.#unload(entry))).then(load);
	}

	#watchIdle(entry: Entry): void {
		const { idleSeconds } = this.#options;
		entry.cancelIdle();
		if (idleSeconds === undefined || !entry.isLoaded) return;
		entry.cancelIdle = this.#clock.after(idleSeconds * 1_000, () => {
			this.#unload(entry).then(() => this.#advance());
		});
	}

	/** Never rejects. */
	async #unload(entry: Entry): Promise<void> {
		const { id, model } = entry.member;
		entry.cancelIdle();
		entry.isLoaded = false;
		this.#changes += 1;
		const fields = { group: this.id, model: id };
		const unloading = (async () => model.unload?.())().catch((err: unknown) =>
			this.#log.warn({ err, ...fields }, 'a model could not release its memory'),
		);
		const hasSettled = await settlesWithin(this.#clock, unloadTimeoutMs, unloading);
		if (!hasSettled) this.#log.warn(fields, 'a model takes long to release its memory');
		this.#changes -= 1;
		this.#log.debug(fields, 'a model was unloaded');
	}
}
