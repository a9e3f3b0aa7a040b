/** Whether a parsed value nests deeper than `depth` levels. */
export function isDeep(value: unknown, depth: number): boolean {
	let below = 0;
	for (const _ of levels(value)) if (++below > depth) return true;
	return false;
}

/**
 * Whether an object somewhere in a parsed value has its own key `__proto__`, or a key `constructor` whose value has a
 * key `prototype`: a careless merge would write through either into every object of the process.
 */
export function hasPoison(value: unknown): boolean {
	for (const level of levels(value)) {
		if (level.some((node) => Object.hasOwn(node, '__proto__') || reachesPrototype(node))) return true;
	}
	return false;
}

function reachesPrototype(node: object): boolean {
	if (!Object.hasOwn(node, 'constructor')) return false;
	const value: unknown = node.constructor;
	return isObject(value) && Object.hasOwn(value, 'prototype');
}

/** The arrays and objects of a value, level by level. Not by recursion, which deep input would overflow. */
function* levels(value: unknown): Generator<readonly object[]> {
	let level = [value].filter(isObject);
	while (level.length > 0) {
		yield level;
		level = level.flatMap((node) => Object.values(node).filter(isObject));
	}
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
