import { learnOptions } from '../../contract/errors/redact.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';

export interface Variables {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** By path (`backends.jobs.with.url`), the last variable that was referenced there, set or not. */
	readonly variables: Map<string, string>;
	readonly problems: BootProblem[];
}

const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in the strings of plain objects and arrays; `$${` stands for `${`. The
 * default also replaces an empty variable, as in a shell. Values are not expanded again. A missing one is a problem.
 */
export function fill<T>(value: T, path: string, { env, variables, problems }: Variables): T {
	const filled = walk(value, path) as T;
	learnOptions(filled);
	return filled;

	function walk(node: unknown, at: string): unknown {
		if (typeof node === 'string') return expand(node, at);
		if (Array.isArray(node)) return node.map((item, index) => walk(item, `${at}[${index}]`));
		if (!isPlain(node)) return node;
		return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, `${at}.${key}`)]));
	}

	function expand(text: string, at: string): string {
		return text.replace(reference, (match, name: string | undefined, fallback: string | undefined) => {
			if (name === undefined) return '${';
			variables.set(at, name);
			const assigned = env[name];
			if (assigned !== undefined && (assigned !== '' || fallback === undefined)) return assigned;
			if (fallback !== undefined) return fallback;
			const message = `the environment variable ${name} is not set.`;
			problems.push(bootProblem('E_CONFIG_ENV', { owner: 'config', path: at }, message));
			return match;
		});
	}
}

function isPlain(node: unknown): node is Record<string, unknown> {
	if (typeof node !== 'object' || node === null) return false;
	const prototype: unknown = Object.getPrototypeOf(node);
	return prototype === Object.prototype || prototype === null;
}
