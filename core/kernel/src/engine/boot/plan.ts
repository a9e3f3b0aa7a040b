import type { z } from 'zod';
import type { BackendDefinition, BackendInstance } from '../../contract/backend.ts';
import type { UnusedModel } from '../../contract/boot-tree.ts';
import { otherCoreCopy } from '../../contract/core-identity.ts';
import { type JobSettings, jobSettings } from '../../contract/jobs/settings.ts';
import type { ModelDefinition } from '../../contract/model.ts';
import type { PluginDefinition, PluginInstance } from '../../contract/plugin.ts';
import type { Needs } from '../../contract/service.ts';
import { services } from '../../contract/services.ts';
import type { ResolvedModel, ResolvedPool } from '../../models/binding.ts';
import { describeIssue } from '../config/describe-issue.ts';
import type { ResolvedConfig } from '../config/resolve.ts';
import { logSettings, type ServerSettings, serverSettings } from '../config/shape.ts';
import { authOff, checkJobKinds, explainAuth, isLoopback, malformedDefinition } from './checks.ts';
import { buildGraph, type Graph, type GraphNode, providedRefs } from './graph.ts';
import { checkModels } from './model-checks.ts';
import { type BootProblem, bootProblem, type ProblemPlace } from './problem.ts';

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
	const { variables } = config;
	const settings = <S extends z.ZodType>(schema: S, path: 'server' | 'log' | 'jobs') =>
		checkOptions(schema, config[path], { owner: 'config', path, variables }, problems);

	const server = settings(serverSettings, 'server');
	const log = settings(logSettings, 'log');
	const jobs = settings(jobSettings, 'jobs');
	const unused = checkModels(config, problems);
	const isUnused = (id: string) => unused.some((model) => model.id === id);
	checkJobKinds(config, problems);
	if (server.auth === 'off' && !isLoopback(server.host)) {
		problems.push(authOff('config', server.host));
	}

	const parts = sections.flatMap(([kind, section]) =>
		Object.entries(config[section])
			.filter(([id]) => kind !== 'model' || !isUnused(id))
			.flatMap(([id, instance]) => planPart({ kind, section, id, instance }, config, problems)),
	);
	const kernelNeeds: GraphNode = {
		owner: 'kernel',
		path: 'server.auth',
		needs: server.auth === 'off' ? {} : { authenticator: services.authenticator },
		provides: [],
	};
	const graph = buildGraph([...parts, kernelNeeds as Part], kernelServices);
	return {
		server,
		log,
		jobs,
		graph: { ...graph, order: graph.order.filter((node) => node.owner !== 'kernel') },
		pools: Object.fromEntries(Object.entries(config.pools).filter(([id]) => !isUnused(id))),
		unused,
		given: kernelServices,
		variables,
		problems: withoutConsequences(unique([...problems, ...graph.problems.map(explainAuth)])),
	};
}

const sections = [
	['backend', 'backends'],
	['model', 'models'],
	['plugin', 'plugins'],
] as const;

interface Entry {
	readonly kind: Part['kind'];
	readonly section: (typeof sections)[number][1];
	readonly id: string;
	readonly instance: BackendInstance | ResolvedModel | PluginInstance;
}

/** The part that an entry of the config describes; none when its definition is wrong, which is reported. */
function planPart(
	{ kind, section, id, instance }: Entry,
	{ variables, inherited }: ResolvedConfig,
	problems: BootProblem[],
): readonly Part[] {
	const made = 'use' in instance ? instance.use : instance;
	const { apiVersion, definition, options } = made;
	const place = { owner: `${kind} ${id}`, path: `${section}.${id}` };
	const otherCopy = otherCoreCopy(made);
	if (otherCopy) problems.push(bootProblem('E_CORE_COPY', place, otherCopy));
	const malformed = malformedDefinition(kind, definition);
	if (malformed) {
		problems.push(bootProblem('E_DEFINITION', place, malformed));
		return [];
	}
	if (apiVersion !== 1) {
		const message = `has version ${String(apiVersion)} of the plugin API; this core has 1.`;
		problems.push(bootProblem('E_API_VERSION', place, message));
		return [];
	}
	const at = { owner: place.owner, path: `${place.path}.with`, variables };
	const part = {
		...place,
		kind,
		id,
		definition,
		binding: instance,
		options: checkOptions(definition.config, options, at, problems),
		needs: graphNeeds(kind, definition),
		provides: 'provides' in definition ? providedRefs(definition.provides) : [],
		isInherited: inherited.has(place.path),
	};
	return [part as Part];
}

/** Whose options are checked, and which of them came from variables. */
interface OptionsPlace extends ProblemPlace {
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
		const words = describeIssue(issue, { schema, value, variable: variables.get(at) });
		problems.push(bootProblem('E_OPTIONS_INVALID', { owner, path: at }, words.message, words.remedy));
	}
	const fallback = schema.safeParse({});
	return fallback.success ? fallback.data : ({} as z.output<S>);
}

const jobNeeds: Needs = {
	'(jobs) store': services.jobs,
	'(jobs) blobs': services.blobs,
	'(jobs) events': services.events,
};

/** What a part needs before it is created: its own needs and, for a plugin with jobs, those of the job machine. */
function graphNeeds(
	kind: Part['kind'],
	definition: { readonly needs?: Needs; readonly jobs?: readonly string[] },
): Needs {
	const { needs = {} } = definition;
	return kind === 'plugin' && definition.jobs?.length ? { ...needs, ...jobNeeds } : needs;
}

/** Two needs of one part may miss the same service: that is one problem. */
function unique(problems: readonly BootProblem[]): readonly BootProblem[] {
	const keyed = problems.map((each) => [`${each.path}\n${each.message}`, each] as const);
	return [...new Map(keyed).values()];
}

/**
 * The problems without those that probably follow from an entry that could not be loaded: nobody knows what a missing
 * preset, backend or plugin provides.
 */
function withoutConsequences(problems: readonly BootProblem[]): readonly BootProblem[] {
	const lost = problems.filter(isLoss).map(({ path }) => path.replace(/\..*/s, ''));
	const isLost = (...sections: readonly string[]) => sections.some((name) => lost.includes(name));
	const hidden: Partial<Record<BootProblem['code'], boolean>> = {
		E_SERVICE_MISSING: isLost('extends', 'backends'),
		E_MODEL_UNUSED: isLost('extends', 'plugins'),
	};
	return problems.filter(({ code }) => !hidden[code]);
}

/** A whole entry or preset, as opposed to one option of it. */
function isLoss({ code, path }: BootProblem): boolean {
	if (code === 'E_CONFIG_NAME' || code === 'E_CONFIG_LOAD') return true;
	return code === 'E_CONFIG_SHAPE' && /^(?:backends|plugins)\./.test(path);
}
