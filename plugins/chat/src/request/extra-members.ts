import { invalidValue, type Json, type JsonObject } from '@plinth/core';
import type { ChatAbilities } from '../model.ts';
import { type ChatBody, chatBody, isJson } from './fields.ts';

/** The members of a body that the plugin does not interpret. */
export interface ExtraMembers {
	/** Those that the model accepts; undefined without any. */
	readonly extra: JsonObject | undefined;
	/** One sentence for each of the others, 32 at most. */
	readonly warnings: readonly string[];
}

const maxWarnings = 32;
const maxNameLength = 100;

/** Splits the members by the abilities of a model. `null` means absent. Throws 400 for a member that holds a file. */
export function extraMembers(body: ChatBody, { extra: accepted = [] }: ChatAbilities): ExtraMembers {
	const extra: Record<string, Json> = {};
	const warnings: string[] = [];
	for (const [name, value] of Object.entries(body)) {
		if (value === null || Object.hasOwn(chatBody.shape, name)) continue;
		if (accepted.includes(name)) extra[name] = jsonOf(value, name);
		else if (warnings.length < maxWarnings) {
			warnings.push(`${name.slice(0, maxNameLength)}: the model does not support this parameter.`);
		}
	}
	return { extra: Object.keys(extra).length > 0 ? extra : undefined, warnings };
}

function jsonOf(value: unknown, name: string): Json {
	if (isJson(value)) return value as Json;
	throw invalidValue(name, `${name}: a data URL of this length is not accepted here.`);
}
