/** The result of {@link interpolate}. */
export interface Interpolated<T> {
	readonly value: T;
	/** Variables without a value, each with its place: `backends.jobs.with.url`. */
	readonly missing: readonly { readonly name: string; readonly path: string }[];
	/** By path, the last variable that was asked for there, set or not. */
	readonly asked: ReadonlyMap<string, string>;
}

const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string leaf of plain objects and arrays; `$${` stands for `${`.
 * The default also replaces an empty variable, as in a shell. Values of variables are not expanded again.
 * Other objects (factories, schemas) pass untouched.
 */
export function interpolate<T>(
	value: T,
	env: Readonly<Record<string, string | undefined>>,
	path = '',
): Interpolated<T> {
	const missing: { readonly name: string; readonly path: string }[] = [];
	const asked = new Map<string, string>();
	return { value: walk(value, path) as T, missing, asked };

	function walk(node: unknown, at: string): unknown {
		if (typeof node === 'string') return expand(node, at);
		if (Array.isArray(node)) return node.map((item, index) => walk(item, `${at}[${index}]`));
		if (!isPlain(node)) return node;
		const member = (key: string) => (at === '' ? key : `${at}.${key}`);
		return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, member(key))]));
	}

	function expand(text: string, at: string): string {
		return text.replace(reference, (match, name: string | undefined, fallback: string | undefined) => {
			if (name === undefined) return '${';
			asked.set(at, name);
			const found = env[name];
			if (found !== undefined && (found !== '' || fallback === undefined)) return found;
			if (fallback !== undefined) return fallback;
			missing.push({ name, path: at });
			return match;
		});
	}
}

function isPlain(node: unknown): node is Record<string, unknown> {
	if (typeof node !== 'object' || node === null) return false;
	const prototype: unknown = Object.getPrototypeOf(node);
	return prototype === Object.prototype || prototype === null;
}
