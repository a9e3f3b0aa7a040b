import { isIPv4 } from 'node:net';
import { type BootProblem, bootProblem } from '../config/problem.ts';
import type { ResolvedConfig } from '../config/resolve.ts';
import type { ModelDefinition } from '../model.ts';
import type { PluginDefinition } from '../plugin.ts';

/** A model of a preset whose kind no composed plugin consumes. */
export interface UnusedModel {
	readonly id: string;
	readonly kind: string;
}

/** What a definition written in JavaScript may lack, in words; undefined when it is sound. */
export function malformedDefinition(
	sort: 'backend' | 'model' | 'plugin',
	definition: Partial<ModelDefinition & PluginDefinition>,
): string | undefined {
	if (typeof definition.config?.safeParse !== 'function')
		return 'its definition has no config: a zod schema of its options.';
	if (typeof (sort === 'plugin' ? definition.setup : definition.create) !== 'function') {
		return `its definition has no ${sort === 'plugin' ? 'setup' : 'create'} function.`;
	}
	if (sort === 'model' && !definition.kind)
		return 'its definition has no kind: the model family of the plugin that consumes it.';
	const lost = Object.entries(definition.needs ?? {}).find(
		([, ref]) => typeof ref?.id !== 'string',
	);
	return lost && `needs.${lost[0]} is no service: is its name spelt right?`;
}

/** Models that came with a preset may outlive their plugin; a model that the config itself names may not. */
export function unusedModels(
	config: ResolvedConfig,
	problems: BootProblem[],
): readonly UnusedModel[] {
	const kinds = new Set(
		Object.values(config.plugins).flatMap(({ definition }) =>
			(definition.models ?? []).map(({ name }) => name),
		),
	);
	const unused: UnusedModel[] = [];
	for (const [id, { use, inherited }] of Object.entries(config.models)) {
		const kind = use.definition.kind?.name;
		// A definition without a kind is reported where its parts are checked.
		if (kind === undefined) continue;
		if (kinds.has(kind)) continue;
		unused.push({ id, kind });
		if (!inherited) {
			problems.push(
				bootProblem(
					'E_MODEL_UNUSED',
					`model ${id}`,
					`models.${id}`,
					`is a ${kind} model, and no plugin consumes that kind.`,
				),
			);
		}
	}
	return unused;
}

/** Two models must not answer to one name. */
export function checkModelIds(config: ResolvedConfig, problems: BootProblem[]): void {
	const taken = new Map<string, string>(Object.keys(config.models).map((id) => [id, id]));
	for (const [id, { aliases = [] }] of Object.entries(config.models)) {
		// Anything but a list has been reported by the shape check.
		for (const alias of Array.isArray(aliases) ? aliases : []) {
			const other = taken.get(alias);
			if (other !== undefined) {
				problems.push(
					bootProblem(
						'E_MODEL_DUPLICATE',
						`model ${id}`,
						`models.${id}.aliases`,
						`claims the name ${alias}, which model ${other} has.`,
					),
				);
			} else taken.set(alias, id);
		}
	}
}

/** A kind of job belongs to one plugin. */
export function checkJobKinds(config: ResolvedConfig, problems: BootProblem[]): void {
	const taken = new Map<string, string>();
	for (const [id, { definition }] of Object.entries(config.plugins)) {
		for (const kind of definition.jobs ?? []) {
			const other = taken.get(kind);
			if (other === undefined && /^[a-z]+$/.test(kind)) taken.set(kind, id);
			else {
				const why =
					other === undefined
						? 'which is not a name of lower-case letters'
						: `which plugin ${other} runs`;
				problems.push(
					bootProblem(
						'E_JOB_KIND',
						`plugin ${id}`,
						`plugins.${id}`,
						`declares jobs of kind "${kind}", ${why}.`,
					),
				);
			}
		}
	}
}

/** The problem of a server that everybody in reach could use. */
export function authOff(owner: string, host: string): BootProblem {
	return bootProblem(
		'E_AUTH_OFF',
		owner,
		'server.host',
		`authentication is off, and ${host} can be reached from other machines.`,
	);
}

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Says what a missing authenticator means. */
export function explainAuth(problem: BootProblem): BootProblem {
	if (problem.owner !== 'kernel') return problem;
	return {
		...problem,
		message: 'nothing provides core.authenticator, so anybody could call.',
		remedy:
			"Add backends.auth: apiKeys({ keys }), or say server: { auth: 'off' } behind a host that authenticates.",
	};
}
