import type { ListingOptions } from '../contract/config.ts';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { ModelDefinition, ModelInfo } from '../contract/model.ts';
import type { BoundModel, ModelCaller, Models } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { type Candidate, callDirectly, callWithFallback } from './ask.ts';
import type { ResolvedModel, ResolvedPool } from './binding.ts';
import { defaultCircuit } from './circuit.ts';
import { GuardedModel } from './guarded-model.ts';
import type { ModelWork } from './model-call.ts';
import { Pool } from './pool.ts';

/** A model as the boot plan holds it. */
export interface ModelPart {
	readonly id: string;
	readonly definition: ModelDefinition;
	readonly binding: ResolvedModel;
}

/** What a name leads to. */
type Target = Listing &
	({ readonly type: 'model'; readonly model: GuardedModel } | { readonly type: 'pool'; readonly pool: Pool });

/** What models and pools have in common. */
interface Listing {
	readonly kind: string;
	/** Names of the models to call when it fails. */
	readonly fallback: readonly string[];
	readonly isListed: boolean;
	readonly info: Omit<ModelInfo, 'health'>;
}

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
	/** Names of pool members whose calls another model can serve. */
	readonly #replaceable: ReadonlySet<string>;

	/** `pools` by id; each is available once all its members have been added. */
	constructor(clock: Clock, log: Logger, pools: Readonly<Record<string, ResolvedPool>>) {
		this.#clock = clock;
		this.#log = log;
		this.#created = Math.floor(clock.now() / 1000);
		this.#incomplete = new Map(Object.entries(pools));
		this.#replaceable = new Set(Object.values(pools).flatMap(replaceableMembers));
	}

	/** Adds a model that has been created. */
	add({ id, definition, binding }: ModelPart, model: unknown): void {
		const { aliases = [], fallback = [] } = binding;
		const hasOthers = fallback.length > 0 || [id, ...aliases].some((name) => this.#replaceable.has(name));
		const circuit = binding.circuit ?? (hasOthers ? defaultCircuit : false);
		const bounds = { ...binding, circuit: circuit === false ? undefined : circuit };
		const { name, kind } = definition;
		this.#register(aliases, {
			type: 'model',
			kind: kind.name,
			model: new GuardedModel({ id, model }, bounds, this.#clock, this.#log),
			fallback,
			isListed: binding.listed ?? true,
			info: this.#info(id, kind.name, {
				...binding,
				ownedBy: binding.ownedBy ?? definition.ownedBy ?? name.split('.')[0] ?? id,
				description: binding.description ?? definition.description,
			}),
		});
		for (const [poolId, pool] of this.#incomplete) this.#complete(poolId, pool);
	}

	/** The models of one kind, as a plugin sees them. */
	ofKind<M>(kind: string): Models<M> {
		return {
			get: (id) => boundOf(this.#find(kind, id)) as BoundModel<M>,
			names: () => [...this.#named].flatMap(([name, target]) => (target.kind === kind ? [name] : [])),
			list: () =>
				this.#targets.flatMap((target) =>
					target.kind === kind && target.type === 'model' ? [target.model.bound as BoundModel<M>] : [],
				),
			ask: async <T>(id: string, caller: ModelCaller, work: ModelWork<T, M>) => {
				const target = this.#find(kind, id);
				const erased = work as ModelWork<T>;
				if (target.type === 'model' && target.model.isUnbounded && target.fallback.length === 0) {
					return callDirectly(target.model, caller, erased);
				}
				return callWithFallback(this.#candidates(target), caller, erased);
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
			for (const model of modelsOf(this.#named.get(name))) {
				if (seen.has(model)) continue;
				seen.add(model);
				yield { model, isFallback: name !== target.info.id };
			}
		}
	}

	#complete(id: string, pool: ResolvedPool): void {
		const { aliases = [], fallback = [] } = pool;
		const members = Object.entries(pool.balance).flatMap(([name, weight]) => {
			const target = this.#named.get(name);
			return target?.type === 'model' ? [[target, weight] as const] : [];
		});
		const [first] = members[0] ?? [];
		if (!first || members.length < Object.keys(pool.balance).length) return;
		this.#incomplete.delete(id);
		this.#register(aliases, {
			type: 'pool',
			kind: first.kind,
			pool: new Pool(members.map(([{ model }, weight]) => [model, weight])),
			fallback,
			isListed: pool.listed ?? true,
			info: this.#info(id, first.kind, {
				...pool,
				ownedBy: pool.ownedBy ?? 'plinth',
				description: pool.description ?? describe(first.kind, members.length),
			}),
		});
	}

	#register(aliases: readonly string[], target: Target): void {
		this.#targets.push(target);
		for (const name of [target.info.id, ...aliases]) this.#named.set(name, target);
	}

	#info(
		id: string,
		kind: string,
		{ ownedBy, description, aliases }: ListingOptions & { readonly ownedBy: string },
	): Omit<ModelInfo, 'health'> {
		return {
			id,
			created: this.#created,
			ownedBy,
			kind,
			...(description ? { description } : {}),
			...(aliases?.length ? { aliases } : {}),
		};
	}
}

/** The members of a pool, unless it has one member and no fallback: then no other model can serve the calls. */
function replaceableMembers({ balance, fallback = [] }: ResolvedPool): readonly string[] {
	const names = Object.keys(balance);
	return names.length + fallback.length > 1 ? names : [];
}

function describe(kind: string, members: number): string {
	return members === 1 ? `A pool of one ${kind} model.` : `A pool of ${members} ${kind} models.`;
}

function infoOf(target: Target): ModelInfo {
	const { health } = target.type === 'pool' ? target.pool : target.model;
	return { ...target.info, health };
}

/** For a pool, its own id with its first member's model. */
function boundOf(target: Target): BoundModel<unknown> {
	if (target.type === 'model') return target.model.bound;
	return { id: target.info.id, model: target.pool.first.bound.model };
}

function modelsOf(target: Target | undefined): readonly GuardedModel[] {
	if (!target) return [];
	return target.type === 'pool' ? target.pool.next() : [target.model];
}
