import type { z } from 'zod';
import type { BackendDefinition } from '../../contract/backend.ts';
import type { UnusedModel } from '../../contract/boot-tree.ts';
import { otherCoreCopy } from '../../contract/core-identity.ts';
import { type JobSettings, jobSettings } from '../../contract/jobs/settings.ts';
import type { ModelDefinition } from '../../contract/model.ts';
import type { PluginDefinition } from '../../contract/plugin.ts';
import type { Needs } from '../../contract/service.ts';
import { services } from '../../contract/services.ts';
import type { ResolvedModel, ResolvedPool } from '../../models/binding.ts';
import { wordsOf } from '../config/issue-words.ts';
import type { ResolvedConfig } from '../config/resolve.ts';
import { logSettings, type ServerSettings, serverSettings } from '../config/shape.ts';
import { authOff, checkJobKinds, explainAuth, isLoopback, malformedDefinition } from './checks.ts';
import { withoutConsequences } from './consequences.ts';
import { buildGraph, type Graph, type GraphNode, providedRefs } from './graph.ts';
import { checkModels } from './model-checks.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** A part of the deployment, checked and ready to be created. */
export type Part = GraphNode & { readonly id: string; readonly options: unknown } & (
		| { readonly kind: 'backend'; readonly definition: BackendDefinition }
		| {
				readonly kind: 'model';
				readonly definition: ModelDefinition;
				readonly binding: ResolvedModel;
		  }
		| { readonly kind: 'plugin'; readonly definition: PluginDefinition }
	);

/** Everything that is known before the first factory runs. */
export interface BootPlan {
	readonly server: ServerSettings;
	readonly log: z.output<typeof logSettings>;
	readonly jobs: JobSettings;
	readonly graph: Graph<Part>;
	/** The pools whose members are created. */
	readonly pools: Readonly<Record<string, ResolvedPool>>;
	readonly unused: readonly UnusedModel[];
	/** Ids of the services that come with the kernel. */
	readonly given: ReadonlySet<string>;
	/** By config path, the environment variable that a value came from. */
	readonly variables: ReadonlyMap<string, string>;
	readonly problems: readonly BootProblem[];
}

/** Services that come with the kernel. */
const kernelServices: ReadonlySet<string> = new Set(
	[services.clock, services.log, services.jobKinds].map(({ id }) => id),
);

/** Checks options, ids, model kinds and needs, and orders the parts. Never throws: problems are listed. */
export function planBoot(config: ResolvedConfig): BootPlan {
	const problems: BootProblem[] = [...config.problems];
	const options = <S extends z.ZodType>(schema: S, value: unknown, owner: string, path: string) =>
		checkOptions(schema, value, { owner, path, variables: config.variables }, problems);

	const server = options(serverSettings, config.server, 'config', 'server');
	const log = options(logSettings, config.log, 'config', 'log');
	const jobs = options(jobSettings, config.jobs, 'config', 'jobs');
	const unused = checkModels(config, problems);
	const isUnused = (id: string) => unused.some((model) => model.id === id);
	checkJobKinds(config, problems);
	if (server.auth === 'off' && !isLoopback(server.host)) {
		problems.push(authOff('config', server.host));
	}

	const parts: Part[] = [];
	const kernelNeeds: GraphNode = {
		owner: 'kernel',
		path: 'server.auth',
		needs: server.auth === 'off' ? {} : { authenticator: services.authenticator },
		provides: [],
	};
	for (const [kind, section] of sections) {
		for (const [id, instance] of Object.entries(config[section])) {
			if (kind === 'model' && isUnused(id)) continue;
			const made = 'use' in instance ? instance.use : instance;
			const { apiVersion, definition, options: given } = made;
			const owner = `${kind} ${id}`;
			const path = `${section}.${id}`;
			const strange = otherCoreCopy(made);
			if (strange) problems.push(bootProblem('E_CORE_COPY', owner, path, strange));
			const malformed = malformedDefinition(kind, definition);
			if (malformed) {
				problems.push(bootProblem('E_DEFINITION', owner, path, malformed));
				continue;
			}
			if (apiVersion !== 1) {
				problems.push(
					bootProblem(
						'E_API_VERSION',
						owner,
						path,
						`speaks version ${String(apiVersion)} of the plugin API; this core speaks 1.`,
					),
				);
				continue;
			}
			parts.push({
				kind,
				id,
				owner,
				path,
				definition,
				binding: instance,
				options: options(definition.config, given, owner, `${path}.with`),
				needs: graphNeeds(kind, definition),
				provides: 'provides' in definition ? providedRefs(definition.provides) : [],
				isInherited: config.inherited.has(path),
			} as Part);
		}
	}
	const graph = buildGraph([...parts, kernelNeeds as Part], kernelServices);
	return {
		server,
		log,
		jobs,
		graph: { ...graph, order: graph.order.filter((node) => node.owner !== 'kernel') },
		pools: Object.fromEntries(Object.entries(config.pools).filter(([id]) => !isUnused(id))),
		unused,
		given: kernelServices,
		variables: config.variables,
		problems: withoutConsequences(unique([...problems, ...graph.problems.map(explainAuth)])),
	};
}

const sections = [
	['backend', 'backends'],
	['model', 'models'],
	['plugin', 'plugins'],
] as const;

/** Whose options are checked, and which of them came from variables. */
interface OptionsPlace {
	readonly owner: string;
	readonly path: string;
	readonly variables: ReadonlyMap<string, string>;
}

/** With problems found, the defaults stand in, so that everything else can still be checked. */
function checkOptions<S extends z.ZodType>(
	schema: S,
	value: unknown,
	{ owner, path, variables }: OptionsPlace,
	problems: BootProblem[],
): z.output<S> {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	for (const issue of parsed.error.issues) {
		const at = [path, ...issue.path].join('.');
		const words = wordsOf(issue, { schema, value, variable: variables.get(at) });
		problems.push(bootProblem('E_OPTIONS_INVALID', owner, at, words.message, words.remedy));
	}
	const fallback = schema.safeParse({});
	return fallback.success ? fallback.data : ({} as z.output<S>);
}

const jobNeeds: Needs = {
	'(jobs) store': services.jobs,
	'(jobs) queue': services.queue,
	'(jobs) blobs': services.blobs,
	'(jobs) events': services.events,
};

/** What must have been created before a part: its own needs and, for a plugin with jobs, what the job machine stands on. */
function graphNeeds(
	kind: Part['kind'],
	definition: { readonly needs?: Needs; readonly jobs?: readonly string[] },
): Needs {
	const { needs = {} } = definition;
	return kind === 'plugin' && definition.jobs?.length ? { ...needs, ...jobNeeds } : needs;
}

/** Two needs of one part may miss the same service: that is one problem. */
function unique(problems: readonly BootProblem[]): readonly BootProblem[] {
	return [
		...new Map(
			problems.map((problem) => [`${problem.path}\n${problem.message}`, problem]),
		).values(),
	];
}
