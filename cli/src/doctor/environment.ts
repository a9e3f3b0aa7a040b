import { nearest } from '@plinth/core';
import { type Finding, ok, warning } from './finding.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that commands read in any composition. */
export const commandVariables: readonly string[] = ['PLINTH_CONFIG', 'PLINTH_DEMO_DIR', 'PLINTH_PROCESSES'];
/** Variables that the built-in compositions read. */
export const compositionVariables: readonly string[] = [
	'PLINTH_API_KEYS',
	'PLINTH_AUTH_FAILURES_PER_MINUTE',
	'PLINTH_CONSOLE',
	'PLINTH_DATA_DIR',
	'PLINTH_LOG_LEVEL',
	'PLINTH_MIGRATE',
	'PLINTH_PUBLIC_URL',
	'PLINTH_ROLE',
	'PLINTH_WEBHOOK_ALLOW_PRIVATE',
	'PLINTH_WEBHOOK_RETRY_SECONDS',
];

/** An environment that records which variables are read. */
export function trackReads(env: Env): { readonly env: Env; readonly read: ReadonlySet<string> } {
	const read = new Set<string>();
	const tracked = new Proxy(env, {
		get: (target, name) => {
			read.add(String(name));
			return target[String(name)];
		},
	});
	return { env: tracked, read };
}

/**
 * Reports `PLINTH_*` variables that nothing reads: they are probably misspelt. `text` is the config file, which
 * may read variables itself.
 */
export function checkVariables(env: Env, read: ReadonlySet<string>, text: string): readonly Finding[] {
	const isRead = (name: string) => read.has(name) || commandVariables.includes(name) || text.includes(name);
	const set = Object.keys(env).filter((name) => name.startsWith('PLINTH_'));
	const unread = set.filter((name) => !isRead(name));
	if (unread.length > 0) return unread.map((name) => explain(name, read));
	return [ok(check, set.length === 0 ? 'none of PLINTH_* is set' : `${set.join(', ')}: read by the config`)];
}

const check = 'variables';

function explain(name: string, read: ReadonlySet<string>): Finding {
	const text = `${name} is not read`;
	if (compositionVariables.includes(name)) {
		return warning(
			check,
			`${text}: this config sets the value itself, or omits the part`,
			`Unset it, or write \${${name}} into the config where it belongs.`,
		);
	}
	const suggestion = nearest(name, [...read, ...commandVariables, ...compositionVariables]);
	return warning(check, text, suggestion ? `Did you mean ${suggestion}?` : 'Unset it.');
}
