import { plinthError } from '../coded-error.ts';
import type { ModelInfo } from '../http/system.ts';
import type { BoundModel, Models } from '../plugin.ts';
import type { Part } from './plan.ts';

type ModelPart = Extract<Part, { sort: 'model' }>;
interface Entry {
	readonly part: ModelPart;
	readonly bound: BoundModel<unknown>;
}

/** All models of an app, by kind, id and alias. */
export class ModelDirectory {
	readonly #entries: Entry[] = [];
	readonly #created: number;

	/** `now` in milliseconds: what `/v1/models` shows as `created`. */
	constructor(now: number) {
		this.#created = Math.floor(now / 1000);
	}

	/** Adds a model that has been created. */
	add(part: ModelPart, model: unknown): void {
		this.#entries.push({ part, bound: { id: part.id, model } });
	}

	/** The models of one kind, as a plugin sees them. */
	ofKind<M>(kind: string): Models<M> {
		const entries = () => this.#entries.filter(({ part }) => part.definition.kind.name === kind);
		return {
			get: (id) => {
				const found = entries().find(
					({ part }) => part.id === id || part.binding.aliases?.includes(id),
				);
				if (found) return found.bound as BoundModel<M>;
				const known = entries().map(({ part }) => part.id);
				throw plinthError('E_MODEL_NOT_FOUND', {
					message: `There is no ${kind} model "${id.slice(0, 100)}". ${known.length > 0 ? `Here are: ${known.join(', ')}.` : 'This server has none.'}`,
				});
			},
			list: () => entries().map(({ bound }) => bound as BoundModel<M>),
			async ask(id, caller, work) {
				const bound = this.get(id);
				caller.answeredBy?.(bound.id);
				return work({ ...bound, signal: caller.signal, hold: () => () => {} });
			},
		};
	}

	/** What `/v1/models` shows. */
	list(): readonly ModelInfo[] {
		return this.#entries.map(({ part: { id, binding, definition } }) => {
			const description = binding.description ?? definition.description;
			return {
				id,
				created: this.#created,
				ownedBy: binding.ownedBy ?? definition.ownedBy ?? definition.name.split('.')[0] ?? id,
				kind: definition.kind.name,
				...(description ? { description } : {}),
				...(binding.aliases?.length ? { aliases: binding.aliases } : {}),
			};
		});
	}
}
