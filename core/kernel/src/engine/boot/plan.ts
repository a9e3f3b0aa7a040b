import type { z } from 'zod';
import type { BackendDefinition, BackendInstance } from '../../contract/backend.ts';
import type { BootTree } from '../../contract/boot-tree.ts';
import { otherCoreCopy } from '../../contract/core-identity.ts';
import { type JobSettings, jobSettings } from '../../contract/jobs/settings.ts';
import type { ModelDefinition } from '../../contract/model.ts';
import type { PluginDefinition, PluginInstance } from '../../contract/plugin.ts';
import type { Needs } from '../../contract/service.ts';
import { services } from '../../contract/services.ts';
import type { ResolvedGroup, ResolvedModel, ResolvedPool } from '../../models/binding.ts';
import { describeIssue } from '../config/describe-issue.ts';
import type { ResolvedConfig, ResolvedPlugin } from '../config/resolve.ts';
import { type LogSettings, logSettings, roleSetting, type ServerSettings, serverSettings } from '../config/shape.ts';
import { authMissing, authOff, checkJobKinds, isLoopback, malformedDefinition } from './checks.ts';
import { buildGraph, type Graph, type GraphNode, providedValues } from './graph.ts';
import { checkGroups } from './group-checks.ts';
import { checkModels } from './model-checks.ts';
import { type BootProblem, bootProblem, type ProblemPlace } from './problem.ts';

/** A part of the deployment, checked and ready to be created. */
export type Part = GraphNode & { readonly id: string; readonly options: unknown } & (
		| { readonly kind: 'backend'; readonly definition: BackendDefinition }
		| { readonly kind: 'model'; readonly definition: ModelDefinition; readonly binding: ResolvedModel }
		| { readonly kind: 'plugin'; readonly definition: PluginDefinition; readonly binding: ResolvedPlugin }
	);

/** Everything that is known before the first factory runs. */
export interface BootPlan {
	readonly server: ServerSettings;
	readonly log: LogSettings;
	readonly role: 'all' | 'api' | 'worker';
	readonly jobs: JobSettings;
	readonly graph: Graph<Part>;
	/** The pools whose members are created. */
	readonly pools: Readonly<Record<string, ResolvedPool>>;
	readonly groups: Readonly<Record<string, ResolvedGroup>>;
	readonly unused: BootTree['unusedModels'];
	/** Ids of the services that come with the kernel. */
	readonly given: ReadonlySet<string>;
	/** By config path, the environment variable that a value came from. */
	readonly variables: ReadonlyMap<string, string>;
	readonly problems: readonly BootProblem[];
}

const given: ReadonlySet<string> = new Set([services.clock, services.log, services.jobKinds].map(({ id }) => id));

const sections = { backend: 'backends', model: 'models', plugin: 'plugins' } as const;

/** Checks options, ids, model kinds and needs, and orders the parts. Never throws: problems are listed. */
export function planBoot(config: ResolvedConfig): BootPlan {
	const problems: BootProblem[] = [...config.problems];
	const { variables } = config;
	const settings = <S extends z.ZodType>(schema: S, path: 'server' | 'log' | 'role' | 'jobs') =>
		checkOptions(schema, config[path], { owner: 'config', path, variables }, problems);

	const server = settings(serverSettings, 'server');
	const log = settings(logSettings, 'log');
	const role = settings(roleSetting, 'role');
	const jobs = settings(jobSettings, 'jobs');
	const unused = checkModels(config, problems);
	const isUnused = (id: string) => unused.some((model) => model.id === id);
	checkGroups(config, problems);
	checkJobKinds(config, problems);
	if (server.auth === 'off' && !isLoopback(server.host)) problems.push(authOff(server.host));

	const parts = (['backend', 'model', 'plugin'] as const).flatMap((kind) =>
		Object.entries(config[sections[kind]])
			.filter(([id]) => kind !== 'model' || !isUnused(id))
			.flatMap(([id, instance]) => planPart(kind, id, instance, config, problems)),
	);
	const graph = buildGraph(parts, given);
	problems.push(...graph.problems);
	if (server.auth === 'on' && !graph.providers.has(services.authenticator.id)) problems.push(authMissing());
	return {
		server,
		log,
		role,
		jobs,
		graph,
		pools: Object.fromEntries(Object.entries(config.pools).filter(([id]) => !isUnused(id))),
		groups: config.groups,
		unused,
		given,
		variables,
		problems: withoutConsequences(problems),
	};
}

/** The part that an entry of the config describes; none when its definition is wrong, which is reported. */
function planPart(
	kind: Part['kind'],
	id: string,
	binding: BackendInstance | ResolvedModel | PluginInstance,
	{ variables, inherited }: ResolvedConfig,
	problems: BootProblem[],
): readonly Part[] {
	const instance = 'use' in binding ? binding.use : binding;
	const { apiVersion, definition, options } = instance;
	const place = { owner: `${kind} ${id}`, path: `${sections[kind]}.${id}` };
	const report = (code: BootProblem['code'], message: string) => problems.push(bootProblem(code, place, message));
	const otherCopy = otherCoreCopy(instance);
	if (otherCopy) report('E_CORE_COPY', otherCopy);
	const malformed = malformedDefinition(kind, definition);
	if (malformed) report('E_DEFINITION', malformed);
	else if (apiVersion !== 1) {
		report('E_API_VERSION', `has version ${String(apiVersion)} of the plugin API; this core has 1.`);
	}
	if (malformed || apiVersion !== 1) return [];
	const { needs = {}, provides, jobs }: Partial<PluginDefinition> = definition as PluginDefinition;
	const at = { owner: place.owner, path: `${place.path}.with`, variables };
	const part = {
		...place,
		kind,
		id,
		definition,
		binding,
		options: checkOptions(definition.config, options, at, problems),
		needs: kind === 'plugin' && jobs?.length ? { ...needs, ...jobNeeds } : needs,
		provides: providedValues(provides).map(([ref]) => ref),
		isInherited: inherited.has(place.path),
	};
	return [part as Part];
}

/** What a plugin with jobs needs besides. */
const jobNeeds: Needs = {
	'(jobs) store': services.jobs,
	'(jobs) blobs': services.blobs,
	'(jobs) events': services.events,
};

/** Returns the defaults when there are problems, so that everything else can still be checked. */
function checkOptions<S extends z.ZodType>(
	schema: S,
	value: unknown,
	{ owner, path, variables }: ProblemPlace & Pick<BootPlan, 'variables'>,
	problems: BootProblem[],
): z.output<S> {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	for (const issue of parsed.error.issues) {
		const at = [path, ...issue.path].join('.');
		const { message, remedy } = describeIssue(issue, { schema, value, variable: variables.get(at) });
		problems.push(bootProblem('E_OPTIONS_INVALID', { owner, path: at }, message, remedy));
	}
	return schema.safeParse({}).data ?? ({} as z.output<S>);
}

/**
 * The problems, each once, without those that probably follow from an entry that could not be loaded: what a missing
 * preset, backend or plugin provides is unknown.
 */
function withoutConsequences(problems: readonly BootProblem[]): readonly BootProblem[] {
	// A whole entry or preset, as opposed to one option of it.
	const isLoss = ({ code, path }: BootProblem) =>
		code === 'E_CONFIG_NAME' ||
		code === 'E_CONFIG_LOAD' ||
		(code === 'E_CONFIG_SHAPE' && /^(?:backends|plugins)\./.test(path));
	const lost = new Set(problems.filter(isLoss).map(({ path }) => path.replace(/\..*/s, '')));
	const isHidden = ({ code }: BootProblem) =>
		(code === 'E_SERVICE_MISSING' && (lost.has('extends') || lost.has('backends'))) ||
		(code === 'E_MODEL_UNUSED' && (lost.has('extends') || lost.has('plugins')));
	const byText = new Map(problems.map((each) => [`${each.path}\n${each.message}`, each]));
	return [...byText.values()].filter((each) => !isHidden(each));
}
