import type { BackendFactory, ModelFactory, Needs, PluginFactory } from '@plinth/core';
import { z } from 'zod';

/** A factory that a package exports. */
export interface Described {
	readonly kind: 'backend' | 'model' | 'plugin';
	/** As configs name it behind the `#`. */
	readonly name: string;
	/** Ids of services, or the kind of model. */
	readonly provides: readonly string[];
	/** Ids of services. */
	readonly needs: readonly string[];
	readonly config: z.ZodType;
}

/** One form that the options of a factory may have. */
export interface Variant {
	/** The factory, with the form where there are several: `command.chat json`. */
	readonly label: string;
	readonly name: string;
	readonly config: z.ZodType;
}

type Factory = BackendFactory<z.ZodType> | ModelFactory<unknown, z.ZodType> | PluginFactory<z.ZodType>;

/** The factories among what a package exports. */
export function factoriesOf(exported: object): readonly Described[] {
	return Object.values(exported).flatMap((value): readonly Described[] => {
		if (isFactory(value)) return [describe(value)];
		// Models come as members of an object, by their kinds.
		return typeof value === 'object' && value !== null ? factoriesOf(value) : [];
	});
}

/** The forms of a factory's options: those of programs differ by protocol. */
export function variantsOf({ name, config }: Described): readonly Variant[] {
	if (!(config instanceof z.ZodDiscriminatedUnion)) return [{ label: `\`${name}\``, name, config }];
	return config.options.map((option) => {
		const form = option as z.ZodObject<{ protocol: z.ZodLiteral<string> }>;
		return { label: `\`${name}\` ${form.shape.protocol.value}`, name, config: form };
	});
}

function isFactory(value: unknown): value is Factory {
	return typeof value === 'function' && '$kind' in value && /\.factory$/.test(String(value.$kind));
}

function describe(factory: Factory): Described {
	if (factory.$kind === 'plinth.backend.factory') {
		const { name, provides, needs, config } = factory.definition;
		const refs = provides.$kind === 'plinth.service' ? [provides] : Object.values(provides);
		const ids = refs.map(({ id }) => id);
		return { kind: 'backend', name, provides: ids, needs: idsOf(needs), config };
	}
	if (factory.$kind === 'plinth.model.factory') {
		const { name, kind, needs, config } = factory.definition;
		return { kind: 'model', name, provides: [kind.name], needs: idsOf(needs), config };
	}
	const { id, provides, needs, config } = factory.definition;
	return { kind: 'plugin', name: id, provides: idsOf(provides), needs: idsOf(needs), config };
}

function idsOf(refs: Needs = {}): readonly string[] {
	return Object.values(refs).map(({ id }) => id);
}
