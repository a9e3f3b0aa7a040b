import type { RawBody } from '@plinth/core';

/**
 * The members of a request that a server can be given as it is. Undefined for a body that nobody has parsed, for members that are not `known`, and for null, which clients
 * write for what they leave out.
 */
export function unchangedMembers(
	{ names, value }: RawBody,
	known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> | undefined {
	if (!value) return undefined;
	for (const name of names) {
		if (!known.has(name) || value[name] === null) return undefined;
	}
	return value;
}
