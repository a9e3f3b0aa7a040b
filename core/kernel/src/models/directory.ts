import type { ListingOptions } from '../contract/config.ts';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { ModelDefinition, ModelInfo, ModelKind, Unloadable } from '../contract/model.ts';
import type { BoundModel, ModelCaller, Models } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { JsonObject } from '../contract/ports/json.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { SelfCheck } from '../contract/ports/self-check.ts';
import type { ResolvedGroup, ResolvedModel, ResolvedPool } from './binding.ts';
import { defaultCircuit } from './circuit.ts';
import { codeOf, isModelFailure, isRefusal, retryAfter } from './failures.ts';
import { GuardedModel, type ModelWork } from './guarded-model.ts';
import { type GroupSlots, ModelGroup } from './model-group.ts';
import { RoundRobin } from './round-robin.ts';

/** A model of the boot plan. */
export interface ModelPart {
	readonly id: string;
	readonly definition: ModelDefinition;
	readonly binding: ResolvedModel;
}

/** What a name leads to: the members of a pool, or one model. */
interface Target {
	readonly kind: string;
	readonly isPool: boolean;
	readonly models: RoundRobin<GuardedModel>;
	/** For a pool, its own id with its first member's model. */
	readonly bound: BoundModel<unknown>;
	/** Names of the models to call when it fails. */
	readonly fallback: readonly string[];
	readonly isListed: boolean;
	readonly info: Omit<ModelInfo, 'health'>;
	/** What the model, or the first of the pool, can do. */
	readonly facts: () => JsonObject | undefined;
}

type Prepare = Parameters<Models<unknown>['ask']>[3];

/** A model that may serve a call, and whether it comes from the fallback chain: then the caller has not named it. */
type Candidate = readonly [model: GuardedModel, isFallback: boolean];

/** All models of an app, by kind, id and alias. */
export class ModelDirectory {
	readonly #clock: Clock;
	readonly #log: Logger;
	/** In seconds since the epoch: what `/v1/models` shows as `created`. */
	readonly #created: number;
	/** Each once, models in the order of the config. */
	readonly #targets: Target[] = [];
	/** By id and by each alias. */
	readonly #named = new Map<string, Target>();
	/** Pools whose members have not all been added. */
	readonly #incomplete: Map<string, ResolvedPool>;
	/** With the config of each. */
	readonly #groups: readonly (readonly [group: ModelGroup, config: ResolvedGroup])[];
	/** By kind, what its plugin adds to the facts of a model. */
	readonly #facts = new Map<string, (model: unknown) => JsonObject>();
	/** Names of pool members whose calls another model can serve. */
	readonly #replaceable: ReadonlySet<string>;

	/** `pools` and `groups` by id; a pool is available once all its members have been added. */
	constructor(
		clock: Clock,
		log: Logger,
		{
			pools,
			groups,
		}: {
			readonly pools: Readonly<Record<string, ResolvedPool>>;
			readonly groups: Readonly<Record<string, ResolvedGroup>>;
		},
	) {
		this.#clock = clock;
		this.#log = log;
		this.#created = Math.floor(clock.now() / 1000);
		this.#incomplete = new Map(Object.entries(pools));
		this.#groups = Object.entries(groups).map(([id, config]) => [new ModelGroup(id, config, clock, log), config]);
		this.#replaceable = new Set(Object.values(pools).flatMap(replaceableMembers));
	}

	/** Adds a model that has been created. */
	add({ id, definition, binding }: ModelPart, model: unknown): void {
		const { aliases = [], fallback = [] } = binding;
		const hasOthers = fallback.length > 0 || [id, ...aliases].some((name) => this.#replaceable.has(name));
		const grouped = this.#grouped(id, binding, model);
		const bounds = { ...binding, circuit: binding.circuit ?? (hasOthers && defaultCircuit), grouped };
		const guarded = new GuardedModel({ id, model }, bounds, this.#clock, this.#log);
		const { name, kind } = definition;
		this.#register(id, kind.name, new RoundRobin([[guarded, 1]]), {
			...binding,
			ownedBy: binding.ownedBy ?? definition.ownedBy ?? name.split('.')[0] ?? id,
			description: binding.description ?? definition.description,
			facts: () => this.#factsOf(kind, model),
			isPool: false,
		});
		for (const [poolId, pool] of this.#incomplete) this.#complete(poolId, pool);
	}

	/** The models of one kind, as a plugin sees them. */
	ofKind<M>(kind: string, facts?: (model: M) => JsonObject): Models<M> {
		if (facts) this.#facts.set(kind, facts as (model: unknown) => JsonObject);
		return {
			get: (id) => this.#find(kind, id).bound as BoundModel<M>,
			list: () => {
				const models = this.#targets.filter((target) => target.kind === kind && !target.isPool);
				return models.map(({ bound }) => bound as BoundModel<M>);
			},
			slots: () => {
				const named = [...this.#named].filter(([, target]) => target.kind === kind);
				return new Map(named.map(([name, target]) => [name, slotsOf(target)]));
			},
			reserve: async (id, caller) => {
				const { models } = this.#find(kind, id);
				// The first slot of a pool ends the wait for the others.
				const done = new AbortController();
				const signal = AbortSignal.any([caller.signal, done.signal]);
				const slots = models.items.map((model) => model.reserve({ ...caller, signal }));
				return await Promise.race(slots).finally(() => done.abort());
			},
			ask: async (id, caller, work, prepare) => {
				const candidates = this.#candidates(this.#find(kind, id));
				return await callWithFallback(candidates, caller, work as ModelWork<never>, prepare as Prepare);
			},
		};
	}

	/** What `/v1/models` shows. */
	list(): readonly ModelInfo[] {
		return this.#targets.filter(({ isListed }) => isListed).map(infoOf);
	}

	/** The same with the models that are not listed, and with the fallback of each. */
	all(): readonly (ModelInfo & { readonly fallback: readonly string[] })[] {
		return this.#targets.map((target) => ({ ...infoOf(target), fallback: target.fallback }));
	}

	/** The slots that its group gives a model; undefined for a model without a group. */
	#grouped(id: string, { concurrency = 1, memory }: ResolvedModel, model: unknown): GroupSlots | undefined {
		const [group, config] = this.#groups.find(([, { models }]) => models.includes(id)) ?? [];
		// In an exclusive group each model takes all there is.
		const taken = config?.memory === undefined ? 1 : (memory ?? config.memory);
		return group?.add({ id, model: model as Unloadable, memory: taken, concurrency });
	}

	/** What the models that check themselves report, behind their ids. */
	async check(): Promise<readonly string[]> {
		const checks = this.#targets.map(async ({ isPool, bound: { id, model } }) => {
			const found = isPool ? [] : ((await (model as SelfCheck).check?.()) ?? []);
			return found.map((problem) => `model ${id}: ${problem}`);
		});
		return (await Promise.all(checks)).flat();
	}

	#factsOf({ name, facts }: ModelKind<unknown>, model: unknown): JsonObject | undefined {
		const more = this.#facts.get(name);
		return facts || more ? { ...facts?.(model), ...more?.(model) } : undefined;
	}

	#find(kind: string, name: string): Target {
		const found = this.#named.get(name);
		if (found?.kind === kind) return found;
		const known = this.#targets.filter((target) => target.kind === kind && target.isListed);
		const ids = known.map(({ info }) => info.id).join(', ');
		const rest = ids === '' ? 'This server has none.' : `Here are: ${ids}.`;
		const message = `There is no ${kind} model "${name.slice(0, 100)}". ${rest}`;
		throw plinthError('E_MODEL_NOT_FOUND', { message });
	}

	/** Each model once. The next one is chosen only when it is needed: the order of a pool changes with time. */
	*#candidates(target: Target): Generator<Candidate> {
		const seen = new Set<GuardedModel>();
		for (const name of [target.info.id, ...target.fallback]) {
			for (const model of this.#named.get(name)?.models.next(({ isReady }) => isReady) ?? []) {
				if (seen.has(model)) continue;
				seen.add(model);
				yield [model, name !== target.info.id];
			}
		}
	}

	#complete(id: string, pool: ResolvedPool): void {
		const weights = Object.entries(pool.balance);
		const members = weights.flatMap(([name, weight]) => {
			const target = this.#named.get(name);
			const [model] = target?.isPool ? [] : (target?.models.items ?? []);
			if (!target || !model) return [];
			return [{ kind: target.kind, facts: target.facts, entry: [model, weight] as const }];
		});
		const [first] = members;
		if (!first || members.length < weights.length) return;
		this.#incomplete.delete(id);
		const size = members.length === 1 ? `one ${first.kind} model` : `${members.length} ${first.kind} models`;
		this.#register(id, first.kind, new RoundRobin(members.map(({ entry }) => entry)), {
			...pool,
			ownedBy: pool.ownedBy ?? 'plinth',
			description: pool.description ?? `A pool of ${size}.`,
			facts: first.facts,
			isPool: true,
		});
	}

	#register(
		id: string,
		kind: string,
		models: RoundRobin<GuardedModel>,
		options: Omit<ListingOptions, 'listed' | 'price'> &
			Pick<ResolvedPool, 'listed' | 'fallback' | 'price'> &
			Pick<Target, 'facts' | 'isPool'> & { readonly ownedBy: string },
	): void {
		const { ownedBy, description, aliases = [], fallback = [], listed: isListed = true, isPool } = options;
		const { facts, price } = options;
		const priced = price ? { price: inSnakeCase(price) } : {};
		const bound = { id, model: models.items[0]?.bound.model, ...priced };
		const texts = { ...(description ? { description } : {}), ...(aliases.length > 0 ? { aliases } : {}) };
		const info = {
			id,
			created: this.#created,
			ownedBy,
			kind,
			...texts,
			...priced,
		};
		const target = { kind, isPool, models, bound, fallback, isListed, info, facts };
		this.#targets.push(target);
		for (const name of [id, ...aliases]) this.#named.set(name, target);
	}
}

/** The members of a pool, unless it has one member and no fallback: then no other model can serve the calls. */
function replaceableMembers({ balance, fallback = [] }: ResolvedPool): readonly string[] {
	const members = Object.keys(balance);
	return members.length + fallback.length > 1 ? members : [];
}

/** The members of a price by the names that clients read. */
function inSnakeCase(price: Readonly<Record<string, string | number | undefined>>): Record<string, string | number> {
	return Object.fromEntries(
		Object.entries(price).flatMap(([name, value]) =>
			value === undefined ? [] : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]],
		),
	);
}

/** How many calls may be under way now: the sum over a pool; undefined when a member has no bound. */
function slotsOf({ models }: Target): number | undefined {
	return models.items.reduce<number | undefined>(
		(sum, { slots }) => (sum === undefined || slots === undefined ? undefined : sum + slots),
		0,
	);
}

/** The health of a pool is the best one of its members. */
function infoOf({ info, isPool, models, facts }: Target): ModelInfo {
	const found = models.items.map(({ health }) => health);
	const health = (['up', 'trying'] as const).find((each) => found.includes(each)) ?? 'down';
	const group = isPool ? undefined : models.items[0]?.group;
	const capabilities = facts();
	return { ...info, health, ...(group ? { group } : {}), ...(capabilities ? { capabilities } : {}) };
}

/**
 * Calls candidates until `work` resolves or the named model refuses the request: a refusal by a fallback hides no
 * failure. Rejects with the last failure, or with `E_MODEL_UNAVAILABLE` when all circuits are open.
 */
async function callWithFallback<T>(
	candidates: Iterable<Candidate>,
	caller: ModelCaller,
	work: ModelWork<T>,
	prepare?: Prepare,
): Promise<T> {
	let failed: { readonly model: string; readonly error: unknown } | undefined;
	let waitMs = Number.POSITIVE_INFINITY;
	for (const [model, isFallback] of candidates) {
		const { id } = model.bound;
		try {
			if (prepare && model.allowsCall) await prepare(model.bound);
			const permit = await model.acquire(caller);
			if (!permit) {
				waitMs = Math.min(waitMs, model.waitMs);
				continue;
			}
			if (failed) {
				const { model: from, error } = failed;
				const fields = { model: from, next: id, code: codeOf(error), err: error };
				caller.log.info(fields, 'falling back to another model');
			}
			return await model.call(permit, caller, work);
		} catch (error) {
			const isFailure = isModelFailure(error);
			if (!isFailure && !(isFallback && isRefusal(error))) throw error;
			caller.signal.throwIfAborted();
			if (isFailure) failed = { model: id, error };
		}
	}
	throw failed ? failed.error : plinthError('E_MODEL_UNAVAILABLE', { headers: retryAfter(waitMs) });
}
