import type { z } from 'zod';
import {
	type Described,
	factoriesOf as describe,
	ownersOf,
	type Variant,
	variantsOf,
} from '../../scripts/reference/factories.ts';
import { defaultOf, optionsOf, typeOf } from '../../scripts/reference/schema.ts';

/** A factory of a package, as its page describes it. */
export type Factory = Described;

/** An option as a row of a page has it. */
export interface ToldOption {
	readonly name: string;
	/** `all`, or the factories that have it; those of programs by their kinds. */
	readonly of: string;
	/** The default as JSON; `needed`, or `–` where there is none. */
	readonly value: string;
}

/** The factories that a package exports. Pages tell in words which services are optional. */
export function factoriesOf(exported: object): readonly Factory[] {
	return describe(exported).map((factory) => ({
		...factory,
		needs: factory.needs.map((id) => id.replace('?', '')),
	}));
}

/** The options of factories. Of programs they differ by protocol, which `of` then names: `chat json`, or `json` where it is so for all kinds. */
export function tellOptions(factories: readonly Factory[]): readonly ToldOption[] {
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

/** Whether a factory has a number that is not read out of a text, as a variable of the environment is. */
export function takesNumbersOnly(config: z.ZodType): boolean {
	return [...optionsOf(config)].some(({ schema }) => {
		const [issue] = schema.safeParse('1').error?.issues ?? [];
		return /^(?:integer|number)\b/.test(typeOf(schema)) && issue?.code === 'invalid_type';
	});
}
