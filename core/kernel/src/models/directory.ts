import { plinthError } from '../contract/errors/coded-error.ts';
import type { ModelDefinition, ModelInfo, ModelKind, Unloadable } from '../contract/model.ts';
import {
	defaultCircuit,
	type ResolvedGroup,
	type ResolvedModel,
	type ResolvedPool,
} from '../contract/model-settings.ts';
import type { BoundModel, ModelCaller, Models } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { JsonObject } from '../contract/ports/json.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { SelfCheck } from '../contract/ports/self-check.ts';
import { codeOf, isModelFailure, isRefusal, retryAfter } from './failures.ts';
import { GuardedModel, type ModelWork } from './guarded-model.ts';
import { type GroupSlots, ModelGroup } from './model-group.ts';
import { RoundRobin } from './round-robin.ts';

type ById<T> = Readonly<Record<string, T>>;

/** What an id or alias resolves to: the members of a pool, or one model. */
interface Target {
	readonly isPool: boolean;
	readonly models: RoundRobin<GuardedModel>;
	/** For a pool, its own id with its first member's model. */
	readonly bound: BoundModel<unknown>;
	readonly fallback: readonly string[];
	readonly isListed: boolean;
	readonly info: Omit<ModelInfo, 'health'>;
	/** The capabilities of the model, or of the first member of the pool. */
	readonly facts: () => JsonObject | undefined;
}

type Prepare = Parameters<Models<unknown>['ask']>[3];

/** A model that may serve a call, and whether it comes from the fallback chain instead of the request. */
type Candidate = readonly [model: GuardedModel, isFallback: boolean];

/** All models of an app, by kind, id and alias. */
export class ModelDirectory {
	readonly #clock: Clock;
	readonly #log: Logger;
	/** In seconds since the epoch: `created` in `/v1/models`. */
	readonly #created: number;
	/** Each once, models in the order of the config. */
	readonly #targets: Target[] = [];
	readonly #named = new Map<string, Target>();
	readonly #incompletePools: Map<string, ResolvedPool>;
	readonly #groups: readonly (readonly [group: ModelGroup, config: ResolvedGroup])[];
	/** By kind, what its plugin adds to the facts of a model. */
	readonly #facts = new Map<string, (model: unknown) => JsonObject>();
	/** Names of pool members whose calls another model can serve. */
	readonly #replaceable: ReadonlySet<string>;

	/** A pool is available once all its members have been added. */
	constructor(clock: Clock, log: Logger, pools: ById<ResolvedPool>, groups: ById<ResolvedGroup>) {
		this.#clock = clock;
		this.#log = log;
		this.#created = Math.floor(clock.now() / 1000);
		this.#incompletePools = new Map(Object.entries(pools));
		this.#groups = Object.entries(groups).map(([id, config]) => [new ModelGroup(id, config, clock, log), config]);
		this.#replaceable = new Set(Object.values(pools).flatMap(replaceableMembers));
	}

	add(id: string, definition: ModelDefinition, binding: ResolvedModel, model: unknown): void {
		const { aliases = [], fallback = [] } = binding;
		const hasOthers = fallback.length > 0 || [id, ...aliases].some((name) => this.#replaceable.has(name));
		const grouped = this.#joinGroup(id, binding, model);
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
		for (const [poolId, pool] of this.#incompletePools) this.#complete(poolId, pool);
	}

	ofKind<M>(kind: string, facts?: (model: M) => JsonObject): Models<M> {
		if (facts) this.#facts.set(kind, facts as (model: unknown) => JsonObject);
		return {
			get: (id) => this.#find(kind, id).bound as BoundModel<M>,
			list: () => {
				const models = this.#targets.filter(({ info, isPool }) => info.kind === kind && !isPool);
				return models.map(({ bound }) => bound as BoundModel<M>);
			},
			slots: () => {
				const named = [...this.#named].filter(([, { info }]) => info.kind === kind);
				return new Map(named.map(([name, target]) => [name, slotsOf(target)]));
			},
			reserve: async (id, caller) => {
				const { models } = this.#find(kind, id);
				// When one member of a pool has a slot, the waits for the others end.
				const done = new AbortController();
				const signal = AbortSignal.any([caller.signal, done.signal]);
				const slots = models.items.map(async ({ grouped }) => {
					await grouped?.reserve({ ...caller, signal });
					return grouped !== undefined;
				});
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

	all(): readonly (ModelInfo & { readonly fallback: readonly string[] })[] {
		return this.#targets.map((target) => ({ ...infoOf(target), fallback: target.fallback }));
	}

	#joinGroup(id: string, { concurrency = 1, memory }: ResolvedModel, model: unknown): GroupSlots | undefined {
		const [group, config] = this.#groups.find(([, { models }]) => models.includes(id)) ?? [];
		const needed = config?.memory === undefined ? 1 : (memory ?? config.memory);
		return group?.add({ id, model: model as Unloadable, memory: needed, concurrency });
	}

	async check(): Promise<readonly string[]> {
		const checks = this.#targets.map(async ({ isPool, bound: { id, model } }) => {
			const check = async () => (isPool ? [] : ((await (model as SelfCheck).check?.()) ?? []));
			const problems = await check().catch((err: unknown) => [err instanceof Error ? err.message : String(err)]);
			return problems.map((problem) => `model ${id}: ${problem}`);
		});
		return (await Promise.all(checks)).flat();
	}

	#factsOf({ name, facts }: ModelKind<unknown>, model: unknown): JsonObject | undefined {
		const more = this.#facts.get(name);
		return facts || more ? { ...facts?.(model), ...more?.(model) } : undefined;
	}

	#find(kind: string, name: string): Target {
		const target = this.#named.get(name);
		if (target?.info.kind === kind) return target;
		const listed = this.#targets.filter(({ info, isListed }) => info.kind === kind && isListed);
		const ids = listed.map(({ info }) => info.id).join(', ');
		const hint = ids === '' ? 'This server has none.' : `Available: ${ids}.`;
		const message = `There is no ${kind} model "${name.slice(0, 100)}". ${hint}`;
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
			return [{ kind: target.info.kind, facts: target.facts, entry: [model, weight] as const }];
		});
		const [first] = members;
		if (!first || members.length < weights.length) return;
		this.#incompletePools.delete(id);
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
		options: Omit<ResolvedPool, 'balance'> & Pick<Target, 'facts' | 'isPool'> & { ownedBy: string },
	): void {
		const { ownedBy, description, aliases = [], fallback = [], listed: isListed = true } = options;
		const { facts, price, isPool } = options;
		const priced = price ? { price: inSnakeCase(price) } : {};
		const bound = { id, model: models.items[0]?.bound.model, ...priced };
		const texts = { ...(description ? { description } : {}), ...(aliases.length > 0 ? { aliases } : {}) };
		const info = { id, created: this.#created, ownedBy, kind, ...texts, ...priced };
		const target = { isPool, models, bound, fallback, isListed, info, facts };
		this.#targets.push(target);
		for (const name of [id, ...aliases]) this.#named.set(name, target);
	}
}

/** The members of a pool, unless it has one member and no fallback: then no other model can serve the calls. */
function replaceableMembers({ balance, fallback = [] }: ResolvedPool): readonly string[] {
	const members = Object.keys(balance);
	return members.length + fallback.length > 1 ? members : [];
}

function inSnakeCase(price: Readonly<Record<string, string | number | undefined>>): Record<string, string | number> {
	return Object.fromEntries(
		Object.entries(price).flatMap(([name, value]) =>
			value === undefined ? [] : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]],
		),
	);
}

/** How many calls may be in progress now: the sum over a pool; undefined if a member has no limit. */
function slotsOf({ models }: Target): number | undefined {
	const slots = models.items.reduce((sum, { queue }) => sum + (queue?.slots ?? Number.POSITIVE_INFINITY), 0);
	return Number.isFinite(slots) ? slots : undefined;
}

/** The health of a pool is the best one of its members. */
function infoOf({ info, isPool, models, facts }: Target): ModelInfo {
	const healths = models.items.map(({ circuit }) => circuit.health);
	const health = (['up', 'trying'] as const).find((each) => healths.includes(each)) ?? 'down';
	const group = isPool ? undefined : models.items[0]?.grouped?.status;
	const capabilities = facts();
	return { ...info, health, ...(group ? { group } : {}), ...(capabilities ? { capabilities } : {}) };
}

/**
 * Calls candidates until `work` resolves or the named model refuses the request. A refusal by a fallback model does not
 * replace an earlier failure. Rejects with the last failure, or with `E_MODEL_UNAVAILABLE` when all circuits are open.
 */
async function callWithFallback<T>(
	candidates: Iterable<Candidate>,
	caller: ModelCaller,
	work: ModelWork<T>,
	prepare?: Prepare,
): Promise<T> {
	let failed: { readonly model: string; readonly code: string | null; readonly err: unknown } | undefined;
	let waitMs = Number.POSITIVE_INFINITY;
	for (const [model, isFallback] of candidates) {
		const { id } = model.bound;
		try {
			if (prepare && model.circuit.allowsCall) await prepare(model.bound);
			const previous = failed;
			const answer = await model.call(caller, (call) => {
				if (previous) caller.log.info({ ...previous, next: id }, 'falling back to another model');
				return work(call);
			});
			if (answer) return answer.result;
			waitMs = Math.min(waitMs, model.circuit.waitMs);
		} catch (error) {
			const isFailure = isModelFailure(error);
			if (!isFailure && !(isFallback && isRefusal(error))) throw error;
			caller.signal.throwIfAborted();
			if (isFailure) failed = { model: id, code: codeOf(error), err: error };
		}
	}
	throw failed ? failed.err : plinthError('E_MODEL_UNAVAILABLE', { headers: retryAfter(waitMs) });
}
