import type { RawBody } from '@plinth/core';
import { members } from './reported-error.ts';

/** The members of a body when all are `known` and none is null. Clients write null for absent members. */
export function knownMembers(
	{ names, value }: RawBody,
	known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> | undefined {
	return names.every((name) => known.has(name) && value[name] !== null) ? value : undefined;
}

/** The beginning of an event that reports an error. At the start of a line, it cannot be a part of other JSON. */
const errorPrefixes = ['data: {"error"', 'data:{"error"'];
const errorEvent = /(?:^|[\r\n])data: ?\{"error"/;

/**
 * How many characters of a chat's event stream may be sent to the client: all, or all but the last line when that may
 * become an error event. Throws for an error event, whose text is only for the log.
 */
export function sendableEvents(pending: string): number {
	if (pending.includes('{"error"') && errorEvent.test(pending)) {
		throw new Error('The server of the model sent an error.');
	}
	const start = 1 + Math.max(pending.lastIndexOf('\n'), pending.lastIndexOf('\r'));
	const line = pending.slice(start);
	const mayBeError = line !== '' && errorPrefixes.some((each) => each.startsWith(line));
	return mayBeError ? start : pending.length;
}

/** The token counts that are logged. */
const countNames = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens'] as const;

/** A stream may have `usage` in each event, usually null. */
const maxTries = 16;
const usageObject = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/y;

/** The token counts of the last object under `usage` in the end of a response; undefined without one. */
export function usageIn(end: string): Readonly<Record<string, number>> | undefined {
	let at = end.length;
	for (let tries = 0; tries < maxTries && at > 0; tries++) {
		// Inside a string the quotes would be escaped, so this is a member name.
		at = end.lastIndexOf('"usage"', at - 1);
		if (at < 0) return undefined;
		usageObject.lastIndex = at;
		const counts = countsIn(usageObject.exec(end)?.[1]);
		if (counts) return counts;
	}
	return undefined;
}

function countsIn(json = 'null'): Readonly<Record<string, number>> | undefined {
	try {
		const usage = members(JSON.parse(json));
		const counts: Record<string, number> = {};
		for (const name of countNames) if (typeof usage[name] === 'number') counts[name] = usage[name];
		return Object.keys(counts).length > 0 ? counts : undefined;
	} catch {
		return undefined;
	}
}
