import { z } from 'zod';
import type { ModelInstance } from './model.ts';
import { integer, numeric } from './server-settings.ts';

/** The key of an entry of a config. */
export const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/, 'ids are letters, digits and . _ : / -');

/** Ids in a list, which may be read-only. */
const idList = (schema: z.ZodArray<typeof id>) => schema as z.ZodType<readonly string[], readonly string[]>;
const ids = idList(z.array(id));

// Environment variables are strings, so booleans may be written as strings.
const switchOf = (value: boolean | string) => (value === 'true' || value === 'false' ? value === 'true' : value);

const flag = z.preprocess(switchOf, z.boolean());

const amount = numeric(z.number().min(0)).optional();
const price = z.strictObject({
	/** A code of ISO 4217. */
	currency: z
		.string()
		.regex(/^[A-Z]{3}$/, 'must be a code of ISO 4217, such as USD')
		.default('USD'),
	/** The price of a request. */
	perRequest: amount,
	/** The price of a picture. */
	perImage: amount,
	/** The price of a second of video or audio. */
	perSecond: amount,
	/** The price of a million characters of text to speak. */
	perMillionCharacters: amount,
	/** The price of a million input tokens. */
	perMillionInputTokens: amount,
	/** The price of a million output tokens. */
	perMillionOutputTokens: amount,
});

// What `/v1/models` shows of a model, and the other names of the model.
const listing = {
	/** More ids for the model. */
	aliases: ids.optional(),
	/** Text for `/v1/models`. The default is the text of the factory. */
	description: z.string().optional(),
	/** `owned_by` in `/v1/models`. */
	ownedBy: z.string().optional(),
	/** With `false`, `/v1/models` does not list the model, but clients can call it. The default is `true`. */
	listed: flag.optional(),
	/** The prices of calls, for `/v1/models` only. Plinth does not charge for calls. */
	price: price.optional(),
};

/** The default for models whose calls another model can serve. */
export const defaultCircuit = { failures: 5, seconds: 30 };

const circuitNumbers = z.strictObject({
	failures: integer(1, 1_000).default(defaultCircuit.failures),
	seconds: integer(1, 3_600).default(defaultCircuit.seconds),
});
// Not a union: its message would only say that the value is invalid.
const circuit = z.custom<z.input<typeof circuitNumbers> | false>().transform((value: unknown, ctx) => {
	if (value === false || value === 'false') return false;
	const { data, error } = circuitNumbers.safeParse(value);
	for (const { message, path } of error?.issues ?? []) ctx.addIssue({ code: 'custom', message, path: [...path] });
	return data ?? z.NEVER;
});

/** Bytes: a number, or a text such as `24GB`, `512MiB`. */
const bytes = z.union([z.number(), z.string()]).transform((value, ctx) => {
	const [, digits, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(?:([KMGT])i?)?B?\s*$/i.exec(String(value)) ?? [];
	const count = Number(digits) * 1_024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ');
	if (count >= 1) return Math.round(count);
	ctx.addIssue({ code: 'custom', message: 'must be a size such as 24GB or 512MB' });
	return z.NEVER;
});

export const modelBindingShape = z.strictObject({
	...listing,
	/** Maximum concurrent calls, at least 1. The default is no limit. */
	concurrency: integer(1).optional(),
	/** With `concurrency`: maximum waiting calls. More get 429. The default is 64. */
	waiting: integer(0).optional(),
	/** Maximum seconds (up to 86,400) until a call's result or the start of its response, without queueing time. */
	timeoutSeconds: numeric(z.number().positive().max(86_400)).optional(),
	/** Models and pools of the same kind to call in turn when the model fails. Their own fallbacks are ignored. */
	fallback: ids.optional(),
	/** How much of its group's `memory` the model needs while it is loaded: bytes, or a text such as `18GB`. */
	memory: bytes.optional(),
	/**
	 * After `failures` (1 to 1,000; default 5) failed calls in a row, the model is not called for `seconds` (1 to 3,600;
	 * default 30). `false`: never. If unset, models with a `fallback` and members of pools use the defaults.
	 */
	circuit: circuit.optional(),
});

export const modelPoolShape = z.strictObject({
	...listing,
	/** Ids or aliases of models of one kind, each with its share: a number above 0, at most 1,000,000. */
	balance: z
		.record(id, numeric(z.number().positive().max(1_000_000)))
		.refine((members) => Object.keys(members).length > 0, 'must name a model'),
	/** Models and pools to call when all members fail. */
	fallback: ids.optional(),
});

export const modelGroupShape = z.strictObject({
	/** Ids of models of any kind; each is in one group at most. */
	models: idList(z.array(id).min(1, 'must name a model')),
	/** `true`: only one model at a time is loaded and called. */
	exclusive: flag.optional(),
	/**
	 * In place of `exclusive`: the device's bytes, or a text such as `24GB`. Models that fit together can run together.
	 */
	memory: bytes.optional(),
	/** Seconds without a call until a model is unloaded. If unset, only when another model needs the memory. */
	idleSeconds: numeric(z.number().positive().max(86_400)).optional(),
	/** How long calls of loaded models come first while another model waits to be loaded. */
	maxBatchSeconds: numeric(z.number().min(0).max(86_400)).default(30),
	/** Maximum waiting calls of all its models. More get 429. */
	waiting: integer(0).default(256),
});

/** The settings of a model binding besides its factory. Numbers may be strings, because variables are strings. */
export type ModelBindingOptions = z.input<typeof modelBindingShape>;

/** A pool: a model id whose calls are balanced over several models. */
export type ModelPool = z.input<typeof modelPoolShape>;

/**
 * Models that share a device, such as one graphics card. A model is loaded by its first call and unloaded before others
 * that need its memory. Each has one call at a time unless it sets `concurrency`. A group covers one process only.
 */
export type ModelGroupConfig = z.input<typeof modelGroupShape>;

/** A group with parsed settings. */
export type ResolvedGroup = z.output<typeof modelGroupShape>;

/** A model binding with its resolved factory. */
export type ResolvedModel = z.output<typeof modelBindingShape> & { readonly use: ModelInstance };

/** A pool with parsed settings. A later check verifies that its members exist. */
export type ResolvedPool = z.output<typeof modelPoolShape>;
