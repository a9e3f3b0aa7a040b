import type { z } from 'zod';
import {
	type Described,
	factoriesOf as describe,
	ownersOf,
	type Variant,
	variantsOf,
} from '../../scripts/reference/factories.ts';
import { defaultOf, optionsOf, typeOf } from '../../scripts/reference/schema.ts';

/** A factory that a package exports, as its documentation page describes it. */
export type Factory = Described;

/** An option, as a row of a documentation page lists it. */
export interface ListedOption {
	readonly name: string;
	/** `all`, or the factories that have the option. Factories of programs are listed by kind. */
	readonly of: string;
	/** The default as JSON; `needed` for a required option, `–` for an optional one without default. */
	readonly value: string;
}

/** The factories that a package exports. Needed services are listed without the mark of optional ones. */
export function factoriesOf(exported: object): readonly Factory[] {
	return describe(exported).map((factory) => ({
		...factory,
		needs: factory.needs.map((id) => id.replace('?', '')),
	}));
}

/**
 * The options of factories. The options of programs differ by protocol: `of` is then `chat json`, or `json` where this
 * holds for all kinds.
 */
export function listOptions(factories: readonly Factory[]): readonly ListedOption[] {
	const variants = factories.flatMap(variantsOf);
	const found = new Map<string, { name: string; value: string; owners: Set<Variant> }>();
	for (const variant of variants) {
		for (const { name, schema } of optionsOf(variant.config)) {
			const value = defaultOf(schema);
			const option = found.get(`${name} ${value}`) ?? { name, value, owners: new Set() };
			found.set(`${name} ${value}`, { ...option, owners: option.owners.add(variant) });
		}
	}
	const hasForms = variants.some(({ form }) => form !== '');
	return [...found.values()].map(({ name, value, owners }) => {
		const of = ownersOf([...owners], variants);
		return { name: `\`${name}\``, of: hasForms ? of.replace(/`\w+\.(\w+)`/g, '$1') : of, value };
	});
}

/** Whether a factory has a numeric option that does not accept text. Values of environment variables are text. */
export function takesNumbersOnly(config: z.ZodType): boolean {
	return [...optionsOf(config)].some(({ schema }) => {
		const [issue] = schema.safeParse('1').error?.issues ?? [];
		return /^(?:integer|number)\b/.test(typeOf(schema)) && issue?.code === 'invalid_type';
	});
}
