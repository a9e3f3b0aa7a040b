import type { Json, JsonObject } from '@plinth/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { generateSync } from 'json-schema-faker';
import { serveJobs } from '../serve-jobs.ts';

/** A search for JSON that is valid against a schema. */
export interface JsonJob {
	/** A JSON Schema, as JSON. */
	readonly schema: string;
	/** A text that may have such JSON somewhere. */
	readonly message: string;
	/** Texts that may be such JSON, the preferred one first. */
	readonly texts: readonly string[];
	readonly seed: number;
}

/** Valid JSON, and whether its values are made up; or the reason why there is none. */
export type JsonResult = { readonly json: string; readonly isMadeUp: boolean } | { readonly problem: string };

type Validate = (value: unknown) => unknown;

/** Depths that are tried. A recursive schema has a valid value at one of them. */
const depths = [6, 12, 24];
const attemptsPerDepth = 4;
/** Maximum items, properties or characters that are made up beyond the required ones. */
const surplus = 8;
/** Above this lower bound, no value is made up. Longer patterns are ignored. */
const maxBound = 1_000;
const maxPattern = 200;

export default serveJobs((job: JsonJob, report: (report: 'started') => void): JsonResult => {
	report('started');
	try {
		// Ajv fails at an unknown draft, and `$async` would make `validate` return promises.
		const { $schema: _, $async: _async, ...schema }: JsonObject = JSON.parse(job.schema);
		const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
		const validate: Validate = ajv.compile(schema);
		const candidates = [...objectsIn(job.message), ...job.texts.map(parsed)];
		const match = candidates.find((candidate) => candidate !== undefined && validate(candidate));
		const value = match === undefined ? madeUp(job, validate) : match;
		if (value === undefined) return { problem: 'no valid value could be made for it' };
		return { json: JSON.stringify(value), isMadeUp: match === undefined };
	} catch (error) {
		return { problem: error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read' };
	}
});

function madeUp({ schema, seed }: JsonJob, validate: Validate): unknown {
	const limited = JSON.parse(schema, limit);
	for (const maxDepth of depths) {
		for (let attempt = 0; attempt < attemptsPerDepth; attempt++) {
			try {
				// The second half of the attempts makes up required properties only.
				const optionalsProbability = attempt < attemptsPerDepth / 2 ? 0.8 : 0;
				const value = generateSync(limited, { seed: seed + attempt, maxDepth, optionalsProbability });
				if (value !== undefined && validate(value)) return value;
			} catch {
				// This attempt chose an alternative that has no value.
			}
		}
	}
	return undefined;
}

/** Limits a schema to little more than it requires. A reviver of `JSON.parse`. */
function limit(this: Record<string, unknown>, key: string, value: unknown): unknown {
	const [, bound, what] = /^(min|max)(Items|Length|Properties|Contains)$/.exec(key) ?? [];
	if (bound && typeof value === 'number') {
		if (bound === 'max') return Math.min(value, (Number(this[`min${what}`]) || 0) + surplus);
		if (value > maxBound) throw new Error(`${key} is larger than ${maxBound}`);
	}
	const isLong = typeof value === 'string' && (value.length > maxPattern || /\{\d{4}/.test(value));
	return key === 'pattern' && isLong ? undefined : value;
}

/** The JSON objects in a text, between balanced braces. */
function* objectsIn(text: string): Generator<Json | undefined> {
	const string = /"(?:[^"\\]|\\.)*/sy;
	let start = 0;
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		if (text[at] === '"' && depth > 0) {
			string.lastIndex = at;
			at += string.exec(text)?.[0].length ?? 0;
		} else if (text[at] === '{') {
			if (depth++ === 0) start = at;
		} else if (text[at] === '}' && depth > 0) {
			if (--depth === 0) yield parsed(text.slice(start, at + 1));
		}
	}
}

function parsed(text: string): Json | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
