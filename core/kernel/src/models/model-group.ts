import type { GroupStatus, Unloadable } from '../contract/model.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { ResolvedGroup } from './binding.ts';
import type { ModelSlot } from './model-slot.ts';
import { type SlotCaller, type SlotQueue, WaitingLine } from './waiting-line.ts';

/** How long the release of a model's memory may take before the next model loads anyway, in milliseconds. */
const unloadTimeoutMs = 30_000;

/** How long a reserved slot waits for its call, in milliseconds. */
const reservedMs = 5_000;

/** How a group shares its device. */
export type GroupOptions = Pick<ResolvedGroup, 'memory' | 'idleSeconds' | 'maxBatchSeconds' | 'waiting'>;

/** One model of a group. */
export interface GroupMember {
	readonly id: string;
	readonly model: Unloadable;
	/** What it takes of the device's memory while it is loaded; in an exclusive group 1, which is all. */
	readonly memory: number;
	readonly concurrency: number;
}

/** The slots of one member. */
export interface GroupSlots extends SlotQueue {
	readonly status: GroupStatus;
	/** Waits for a slot and keeps it for some seconds: the next call of the model takes it. */
	reserve(caller: SlotCaller): Promise<void>;
}

/** A member, and what it does. */
interface Place {
	readonly member: GroupMember;
	isLoaded: boolean;
	/** Slots in use, reserved ones included. */
	active: number;
	/** Slots that wait for their call. */
	readonly reserved: ModelSlot[];
	cancelIdle: () => void;
}

/**
 * Models that share a device, such as one graphics card. Those that are loaded fit into its memory together; an
 * exclusive group is one whose members each take all of it. A model is loaded by its first call. Before that, idle
 * models are unloaded to make room, the one that was used longest ago first. Calls of loaded models go first, for
 * `maxBatchSeconds` after the last load; then the calls whose turn it is.
 */
export class ModelGroup {
	readonly id: string;
	readonly #options: GroupOptions;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #line: WaitingLine<Place>;
	/** By model, the one that was used longest ago first. */
	readonly #places = new Map<string, Place>();
	#loadedAt = Number.NEGATIVE_INFINITY;
	/** How many changes of what is loaded are under way: nothing begins meanwhile. */
	#changes = 0;

	constructor(id: string, options: GroupOptions, clock: Clock, log: Logger) {
		this.id = id;
		this.#options = options;
		this.#clock = clock;
		this.#log = log;
		this.#line = new WaitingLine(1, options.waiting, clock);
	}

	/** Adds a model. Its calls need one of the slots that are returned. */
	add(member: GroupMember): GroupSlots {
		const place: Place = { member, isLoaded: false, active: 0, reserved: [], cancelIdle: () => {} };
		this.#places.set(member.id, place);
		const canBegin = () => place.reserved.length > 0 || (this.#line.size === 0 && this.#fits(place));
		const statusOf = () => this.#statusOf(place);
		return {
			enter: (caller) => this.#enter(place, caller),
			reserve: (caller) => this.#reserve(place, caller),
			get hasFreeSlot() {
				return canBegin();
			},
			get slots() {
				return canBegin() ? member.concurrency : place.active;
			},
			get status() {
				return statusOf();
			},
		};
	}

	#statusOf(place: Place): GroupStatus {
		const state = place.active > 0 ? 'busy' : place.isLoaded ? 'loaded' : 'unloaded';
		const waiting = [...this.#line.items()].filter((item) => item === place).length;
		return { id: this.id, state, waiting };
	}

	#enter(place: Place, caller: SlotCaller): ModelSlot | Promise<ModelSlot> {
		const reserved = place.reserved.shift();
		if (reserved) return reserved;
		const slot = this.#line.wait(caller, place);
		this.#advance();
		return slot;
	}

	async #reserve(place: Place, caller: SlotCaller): Promise<void> {
		const slot = await this.#enter(place, caller);
		place.reserved.push(slot);
		this.#clock.after(reservedMs, () => {
			const index = place.reserved.indexOf(slot);
			if (index >= 0) place.reserved.splice(index, 1)[0]?.free();
		});
	}

	/** Begins whatever may begin now. */
	#advance(): void {
		if (this.#changes > 0) return;
		const next = [...this.#line.items()].find((place) => !place.isLoaded);
		const isBatch = !next || this.#clock.now() - this.#loadedAt < this.#options.maxBatchSeconds * 1_000;
		const mayBegin = (place: Place) => place.isLoaded && place.active < place.member.concurrency;
		while (isBatch && this.#line.serve((place) => this.#slot(place), mayBegin));
		if (next) this.#makeRoom(next);
	}

	#slot(place: Place): ModelSlot {
		place.active += 1;
		place.cancelIdle();
		this.#places.delete(place.member.id);
		this.#places.set(place.member.id, place);
		return this.#line.slot(() => {
			place.active -= 1;
			this.#advance();
			if (place.active === 0) this.#watchIdle(place);
		});
	}

	/** The loaded models to unload for a model, those that are idle; undefined when that would not be enough. */
	#inTheWayOf({ member }: Place): readonly Place[] | undefined {
		const loaded = [...this.#places.values()].filter(({ isLoaded }) => isLoaded);
		let free = (this.#options.memory ?? 1) - loaded.reduce((sum, place) => sum + place.member.memory, 0);
		const leaving: Place[] = [];
		for (const place of loaded.filter(({ active }) => active === 0)) {
			if (free >= member.memory) break;
			free += place.member.memory;
			leaving.push(place);
		}
		return free >= member.memory ? leaving : undefined;
	}

	#fits(place: Place): boolean {
		if (this.#changes > 0) return false;
		return place.isLoaded ? place.active < place.member.concurrency : this.#inTheWayOf(place) !== undefined;
	}

	/** Loads a model as soon as the models in its way are idle. */
	#makeRoom(next: Place): void {
		const leaving = this.#inTheWayOf(next);
		if (!leaving) return;
		this.#changes += 1;
		const load = () => {
			this.#changes -= 1;
			next.isLoaded = true;
			this.#loadedAt = this.#clock.now();
			// The caller that it was loaded for begins, although the batch of others may not be over.
			this.#line.serve(
				(place) => this.#slot(place),
				(place) => place === next,
			);
			this.#advance();
			if (next.active === 0) this.#watchIdle(next);
		};
		if (leaving.length === 0) load();
		else Promise.all(leaving.map((place) => this.#unload(place))).then(load);
	}

	#watchIdle(place: Place): void {
		const { idleSeconds } = this.#options;
		place.cancelIdle();
		if (idleSeconds === undefined || !place.isLoaded) return;
		place.cancelIdle = this.#clock.after(idleSeconds * 1_000, () => {
			this.#unload(place).then(() => this.#advance());
		});
	}

	/** Never rejects. */
	async #unload(place: Place): Promise<void> {
		const { id, model } = place.member;
		place.cancelIdle();
		place.isLoaded = false;
		this.#changes += 1;
		const late = Promise.withResolvers<void>();
		const cancelTimer = this.#clock.after(unloadTimeoutMs, () => {
			this.#log.warn({ group: this.id, model: id }, 'a model takes long to release its memory');
			late.resolve();
		});
		const unloading = (async () => model.unload?.())().catch((err: unknown) =>
			this.#log.warn({ err, group: this.id, model: id }, 'a model could not release its memory'),
		);
		await Promise.race([unloading, late.promise]);
		cancelTimer();
		this.#changes -= 1;
		this.#log.debug({ group: this.id, model: id }, 'a model was unloaded');
	}
}
