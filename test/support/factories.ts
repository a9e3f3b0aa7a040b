import type { BackendFactory, ModelFactory, Needs } from '@plinth/core';
import { z } from 'zod';

/** A factory of a package, as its page describes it. */
export interface Factory {
	readonly name: string;
	/** Ids of services, or the kind of model. */
	readonly provides: readonly string[];
	/** Ids of services. */
	readonly needs: readonly string[];
	readonly config: z.ZodType;
}

/** An option as a row of a page has it. */
export interface ToldOption {
	readonly name: string;
	/** `all`, or the factories that have it. */
	readonly of: string;
	/** The default as JSON; `needed`, or `–` where there is none. */
	readonly value: string;
}

/** The factories of backends and models that a package exports. */
export function factoriesOf(exported: object): readonly Factory[] {
	return Object.values(exported).flatMap((value): readonly Factory[] => {
		if (isBackend(value)) {
			const { name, provides, needs, config } = value.definition;
			const refs = provides.$kind === 'plinth.service' ? [provides] : Object.values(provides);
			return [{ name, provides: refs.map(({ id }) => id), needs: idsOf(needs), config }];
		}
		if (isModel(value)) {
			const { name, kind, needs, config } = value.definition;
			return [{ name, provides: [kind.name], needs: idsOf(needs), config }];
		}
		// Models come as members of an object, by their kinds.
		return typeof value === 'object' && value !== null ? factoriesOf(value) : [];
	});
}

/**
 * The options of factories, those of nested objects behind a dot. Of programs they differ by protocol, which `of` then names: `chat json`, or `json` where
 * it is so for all kinds.
 */
export function tellOptions(factories: readonly Factory[]): readonly ToldOption[] {
	const variants = factories.flatMap(({ name, config }) => variantsOf(name, config));
	const found = new Map<string, { name: string; value: string; variants: Set<Variant> }>();
	for (const variant of variants) {
		for (const [name, schema] of optionsIn(variant.config)) {
			const value = defaultOf(schema);
			const key = `${name} ${value}`;
			const option = found.get(key) ?? { name, value, variants: new Set() };
			found.set(key, { ...option, variants: option.variants.add(variant) });
		}
	}
	return [...found.values()].map(({ name, value, variants: having }) => ({
		name: `\`${name}\``,
		of: ownersOf(having, variants),
		value,
	}));
}

/** Whether a factory has a number that is not read out of a text, as a variable of the environment is. */
export function takesNumbersOnly(config: z.ZodType): boolean {
	return [...optionsIn(config)].some(([, schema]) => {
		const bare = unwrap(schema);
		return bare instanceof z.ZodNumber && bare.def.coerce !== true;
	});
}

interface Variant {
	readonly factory: string;
	/** Empty where a factory has only one form. */
	readonly protocol: string;
	readonly config: z.ZodType;
}

function isBackend(value: unknown): value is BackendFactory<z.ZodType> {
	return (
		typeof value === 'function' && '$kind' in value && value.$kind === 'plinth.backend.factory'
	);
}

function isModel(value: unknown): value is ModelFactory<unknown, z.ZodType> {
	return typeof value === 'function' && '$kind' in value && value.$kind === 'plinth.model.factory';
}

function idsOf(needs: Needs = {}): readonly string[] {
	return Object.values(needs).map(({ id }) => id);
}

function variantsOf(factory: string, config: z.ZodType): readonly Variant[] {
	if (!(config instanceof z.ZodDiscriminatedUnion)) return [{ factory, protocol: '', config }];
	return config.options.map((option) => {
		const form = option as z.ZodObject<{ protocol: z.ZodLiteral<string> }>;
		return { factory, protocol: form.shape.protocol.value, config: form };
	});
}

function ownersOf(having: ReadonlySet<Variant>, all: readonly Variant[]): string {
	if (having.size === all.length) return 'all';
	const [{ protocol = '' } = {}] = having;
	const alike = all.filter((variant) => variant.protocol === protocol);
	if (protocol && having.size === alike.length && alike.every((each) => having.has(each)))
		return protocol;
	const owners = [...having].map((variant) => {
		if (!variant.protocol) return `\`${variant.factory}\``;
		const kind = variant.factory.split('.').at(-1);
		const isWhole = all.every((each) => each.factory !== variant.factory || having.has(each));
		return isWhole ? kind : `${kind} ${variant.protocol}`;
	});
	return [...new Set(owners)].join(', ');
}

function* optionsIn(schema: z.ZodType, prefix = ''): Generator<[string, z.ZodType]> {
	const bare = unwrap(schema);
	if (bare instanceof z.ZodUnion)
		for (const option of bare.options) yield* optionsIn(option as z.ZodType, prefix);
	if (!(bare instanceof z.ZodObject)) return;
	for (const [name, option] of Object.entries(bare.shape as Record<string, z.ZodType>)) {
		yield [`${prefix}${name}`, option];
		yield* optionsIn(option, `${prefix}${name}.`);
	}
}

/** What an option is behind its default. */
function unwrap(schema: z.ZodType): z.ZodType {
	if (
		schema instanceof z.ZodDefault ||
		schema instanceof z.ZodPrefault ||
		schema instanceof z.ZodOptional
	) {
		return unwrap(schema.unwrap() as z.ZodType);
	}
	return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}

function defaultOf(schema: z.ZodType): string {
	const { success, data } = schema.safeParse(undefined);
	if (!success) return 'needed';
	return data === undefined ? '–' : `\`${JSON.stringify(data)}\``;
}
