import type { BackendFactory, ModelFactory, Needs, PluginFactory, Provides } from '@plinth/core';
import { z } from 'zod';

/** A factory that a package exports. */
export interface Described {
	readonly kind: 'backend' | 'model' | 'plugin';
	/** The name in configs after the `#`. */
	readonly name: string;
	/** Ids of services, or the kind of model. */
	readonly provides: readonly string[];
	/** Ids of services. Optional ones end with a `?`. */
	readonly needs: readonly string[];
	readonly config: z.ZodType;
}

/** A variant of the options of a factory. */
export interface Variant {
	/** The factory. */
	readonly name: string;
	/** Empty for a factory with one variant. */
	readonly form: string;
	readonly config: z.ZodType;
}

type Factory = BackendFactory<z.ZodType> | ModelFactory<unknown, z.ZodType> | PluginFactory<z.ZodType>;

/** The factories among the exports of a package. */
export function factoriesOf(exported: object): readonly Described[] {
	return Object.values(exported).flatMap((value): readonly Described[] => {
		if (isFactory(value)) return [describe(value)];
		// Models are members of an object, by their kinds.
		return typeof value === 'object' && value !== null ? factoriesOf(value) : [];
	});
}

/** The variants of a factory's options. Those of programs differ by protocol. */
export function variantsOf({ name, config }: Described): readonly Variant[] {
	if (!(config instanceof z.ZodDiscriminatedUnion)) return [{ name, form: '', config }];
	return config.options.map((option) => {
		const form = option as z.ZodObject<{ protocol: z.ZodLiteral<string> }>;
		return { name, form: form.shape.protocol.value, config: form };
	});
}

/**
 * A short name for a subset of all variants: `all`, `json` for all variants of that form, or the names of factories.
 */
export function ownersOf(some: readonly Variant[], all: readonly Variant[]): string {
	if (some.length === all.length) return 'all';
	const [{ form = '' } = {}] = some;
	const alike = all.filter((variant) => variant.form === form);
	if (form && some.length === alike.length && some.every((each) => each.form === form)) return form;
	const owners = some.map(({ name, form }) => {
		const isWhole = all.every((each) => each.name !== name || some.includes(each));
		return isWhole ? `\`${name}\`` : `\`${name}\` ${form}`;
	});
	return [...new Set(owners)].join(', ');
}

function isFactory(value: unknown): value is Factory {
	return typeof value === 'function' && '$kind' in value && /\.factory$/.test(String(value.$kind));
}

function describe(factory: Factory): Described {
	if (factory.$kind === 'plinth.backend.factory') {
		const { name, provides, needs, config } = factory.definition;
		return { kind: 'backend', name, provides: idsOf(provides), needs: idsOf(needs), config };
	}
	if (factory.$kind === 'plinth.model.factory') {
		const { name, kind, needs, config } = factory.definition;
		return { kind: 'model', name, provides: [kind.name], needs: idsOf(needs), config };
	}
	const { id, provides, needs, config } = factory.definition;
	return { kind: 'plugin', name: id, provides: idsOf(provides), needs: idsOf(needs), config };
}

function idsOf(refs: Provides | Needs = {}): readonly string[] {
	const list = refs.$kind === 'plinth.service' ? [refs] : Object.values(refs);
	return list.map(({ id, optional }) => (optional ? `${id}?` : id));
}
