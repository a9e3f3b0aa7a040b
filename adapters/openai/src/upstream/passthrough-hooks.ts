import type { RawBody } from '@plinth/core';
import { members } from './complaint.ts';

/** The members of a body, if all are `known` and none is null, which clients write for what they leave out. */
export function knownMembers(
	{ names, value }: RawBody,
	known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> | undefined {
	for (const name of names) {
		if (!known.has(name) || value[name] === null) return undefined;
	}
	return value;
}

/** How an event begins in which a server says that it failed. Inside JSON it could not stand behind a line end. */
const failures = ['data: {"error"', 'data:{"error"'];
const failure = /(?:^|[\r\n])data: ?\{"error"/;

/**
 * How much of a chat's event stream may go to the client: up to its last line, if that may yet become a failure.
 * Throws for a failure: what the server says of it is for the log.
 */
export function sendableEvents(pending: string): number {
	if (pending.includes('{"error"') && failure.test(pending)) {
		throw new Error('The server of the model sent an error.');
	}
	const start = 1 + Math.max(pending.lastIndexOf('\n'), pending.lastIndexOf('\r'));
	const line = pending.slice(start);
	const isUnsure = line !== '' && failures.some((each) => each.startsWith(line));
	return isUnsure ? start : pending.length;
}

/** The counts that are logged. */
const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens'] as const;

/** A stream may have a member `usage` in each event, most of them null. */
const mostTries = 16;
const usageObject = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/y;

/** The token counts of the last object under `usage` in the end of a response; undefined without one. */
export function usageIn(end: string): Readonly<Record<string, number>> | undefined {
	let at = end.length;
	for (let tries = 0; tries < mostTries && at > 0; tries++) {
		// Within a string its quotes would be escaped, so this is a name.
		at = end.lastIndexOf('"usage"', at - 1);
		if (at < 0) return undefined;
		usageObject.lastIndex = at;
		const found = countsIn(usageObject.exec(end)?.[1]);
		if (found) return found;
	}
	return undefined;
}

function countsIn(json = 'null'): Readonly<Record<string, number>> | undefined {
	try {
		const usage = members(JSON.parse(json));
		const known: Record<string, number> = {};
		for (const name of counts) if (typeof usage[name] === 'number') known[name] = usage[name];
		return Object.keys(known).length > 0 ? known : undefined;
	} catch {
		return undefined;
	}
}
