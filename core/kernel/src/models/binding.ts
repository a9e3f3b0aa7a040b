import { z } from 'zod';
import type { ModelInstance } from '../contract/model.ts';
import { defaultCircuit } from './circuit.ts';

/** The id of an entry. */
export const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/, 'ids are letters, digits and . _ : / -');

/** A number, or the text of one: variables are texts. */
const numeric = <S extends z.ZodNumber>(number: S) =>
	z.preprocess((value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value), number);
const flag = z.preprocess((value) => (value === 'true' || value === 'false' ? value === 'true' : value), z.boolean());
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => numeric(z.number().int().min(least).max(most));

const amount = numeric(z.number().min(0)).optional();
const price = z.strictObject({
	currency: z
		.string()
		.regex(/^[A-Z]{3}$/, 'must be a code of ISO 4217, such as USD')
		.default('USD'),
	perRequest: amount,
	perImage: amount,
	perSecond: amount,
	perMillionCharacters: amount,
	perMillionInputTokens: amount,
	perMillionOutputTokens: amount,
});

const listing = {
	aliases: z.array(id).optional(),
	description: z.string().optional(),
	ownedBy: z.string().optional(),
	listed: flag.optional(),
	price: price.optional(),
};
const fallback = z.array(id).optional();

const circuitNumbers = z.strictObject({
	failures: whole(1, 1_000).default(defaultCircuit.failures),
	seconds: whole(1, 3_600).default(defaultCircuit.seconds),
});
// A union would only say that the value is invalid.
const circuit = z.unknown().transform((value, ctx) => {
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

/** What a model binding may set beside `use` and `with`. */
export const modelBindingShape = z.strictObject({
	...listing,
	concurrency: whole(1).optional(),
	waiting: whole(0).optional(),
	timeoutSeconds: numeric(z.number().positive().max(86_400)).optional(),
	fallback,
	memory: bytes.optional(),
	circuit: circuit.optional(),
});

/** A pool of models. */
export const modelPoolShape = z.strictObject({
	...listing,
	balance: z
		.record(id, numeric(z.number().positive().max(1_000_000)))
		.refine((members) => Object.keys(members).length > 0, 'must name a model'),
	fallback,
});

/** Models that share a device. */
export const modelGroupShape = z.strictObject({
	models: z.array(id).min(1, 'must name a model'),
	exclusive: flag.optional(),
	memory: bytes.optional(),
	idleSeconds: numeric(z.number().positive().max(86_400)).optional(),
	maxBatchSeconds: numeric(z.number().min(0).max(86_400)).default(30),
	waiting: whole(0).default(256),
});

/** A group with its numbers. */
export type ResolvedGroup = z.output<typeof modelGroupShape>;

/** A model binding with its factory found. */
export type ResolvedModel = z.output<typeof modelBindingShape> & {
	readonly use: ModelInstance;
	/** True when a preset brought it: then it may stay without a plugin that consumes it. */
	readonly inherited: boolean;
};

/** A pool with its numbers. Whether its names lead to models is checked with everything else. */
export type ResolvedPool = z.output<typeof modelPoolShape> & { readonly inherited: boolean };
