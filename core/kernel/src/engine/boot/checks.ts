import { isIPv4 } from 'node:net';
import type { ModelDefinition } from '../../contract/model.ts';
import type { PluginDefinition } from '../../contract/plugin.ts';
import type { ResolvedConfig } from '../config/resolve.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** What a definition in JavaScript lacks; undefined when it is valid. */
export function malformedDefinition(
	kind: 'backend' | 'model' | 'plugin',
	definition: Partial<ModelDefinition & PluginDefinition>,
): string | undefined {
	const lacks = 'its definition has no';
	const main = kind === 'plugin' ? 'setup' : 'create';
	if (typeof definition.config?.safeParse !== 'function') return `${lacks} config: a zod schema of its options.`;
	if (typeof definition[main] !== 'function') return `${lacks} ${main} function.`;
	if (kind === 'model' && !definition.kind) return `${lacks} kind: the model family of the plugin that consumes it.`;
	const invalid = Object.entries(definition.needs ?? {}).find(([, ref]) => typeof ref?.id !== 'string');
	return invalid && `needs.${invalid[0]} is no service: is its name spelt right?`;
}

export function checkJobKinds(config: ResolvedConfig, problems: BootProblem[]): void {
	const owners = new Map<string, string>();
	for (const [id, { definition }] of Object.entries(config.plugins)) {
		for (const kind of definition.jobs ?? []) {
			const other = owners.get(kind);
			if (other === undefined && /^[a-z]+$/.test(kind)) owners.set(kind, id);
			else {
				const why = other ? `which plugin ${other} runs` : 'which is not a name of lower-case letters';
				const place = { owner: `plugin ${id}`, path: `plugins.${id}` };
				problems.push(bootProblem('E_JOB_KIND', place, `declares jobs of kind "${kind}", ${why}.`));
			}
		}
	}
}

export function authOff(host: string): BootProblem {
	const message = `authentication is off, and ${host} can be reached from other machines.`;
	return bootProblem('E_AUTH_OFF', { owner: 'config', path: 'server.host' }, message);
}

export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

export function authMissing(): BootProblem {
	return bootProblem(
		'E_SERVICE_MISSING',
		{ owner: 'kernel', path: 'server.auth' },
		'nothing provides core.authenticator, so that no request can be authenticated.',
		"Add backends.auth: apiKeys({ keys }), or set server: { auth: 'off' } behind a host that authenticates.",
	);
}
