import type { z } from 'zod';
import type { BootTree } from '../../contract/app.ts';
import type { BackendDefinition, BackendInstance } from '../../contract/backend.ts';
import { otherCoreCopy } from '../../contract/factory.ts';
import { type JobSettings, jobSettings } from '../../contract/jobs/settings.ts';
import type { ModelDefinition } from '../../contract/model.ts';
import type { ResolvedModel, ResolvedPool } from '../../contract/model-settings.ts';
import type { PluginDefinition, PluginInstance } from '../../contract/plugin.ts';
import {
	type LogSettings,
	logSettings,
	roleSetting,
	type ServerSettings,
	serverSettings,
} from '../../contract/server-settings.ts';
import { type Needs, services } from '../../contract/service.ts';
import { pathName } from '../../contract/words.ts';
import { describeIssue } from '../config/describe-issue.ts';
import type { ResolvedConfig, ResolvedPlugin } from '../config/resolve.ts';
import { authMissing, authOff, checkJobKinds, isLoopback, malformedDefinition } from './checks.ts';
import { buildGraph, type Graph, type GraphNode, providedValues } from './graph.ts';
import { checkGroups, ModelChecks } from './model-checks.ts';
import { type BootProblem, bootProblem, type ProblemPlace } from './problem.ts';

/** A part of the deployment, checked and ready to be created. */
export type Part = GraphNode & { readonly id: string; readonly options: unknown } & (
		| { readonly kind: 'backend'; readonly definition: BackendDefinition }
		| { readonly kind: 'model'; readonly definition: ModelDefinition; readonly binding: ResolvedModel }
		| { readonly kind: 'plugin'; readonly definition: PluginDefinition; readonly binding: ResolvedPlugin }
	);

/** The result of all checks before the first factory runs. */
export interface BootPlan extends Pick<ResolvedConfig, 'groups' | 'variables' | 'problems'> {
	readonly server: ServerSettings;
	readonly log: LogSettings;
	readonly role: 'all' | 'api' | 'worker';
	readonly jobs: JobSettings;
	readonly graph: Graph<Part>;
	/** The pools whose members are created. */
	readonly pools: Readonly<Record<string, ResolvedPool>>;
	readonly unused: BootTree['unusedModels'];
}

/** Checks options, ids, model kinds and needs, and orders the parts. Never throws: problems are listed. */
export function planBoot(config: ResolvedConfig): BootPlan {
	const problems: BootProblem[] = [...config.problems];
	const { groups, variables } = config;
	const settings = <S extends z.ZodType>(schema: S, path: 'server' | 'log' | 'role' | 'jobs') =>
		checkOptions(schema, config[path], { owner: 'config', path, variables }, problems);

	const server = settings(serverSettings, 'server');
	const log = settings(logSettings, 'log');
	const role = settings(roleSetting, 'role');
	const jobs = settings(jobSettings, 'jobs');
	const unused = new ModelChecks(config, problems).run();
	const isUnused = (id: string) => unused.some((model) => model.id === id);
	checkGroups(config, problems);
	checkJobKinds(config, problems);
	if (server.auth === 'off' && !isLoopback(server.host)) problems.push(authOff(server.host));

	const parts = (['backend', 'model', 'plugin'] as const).flatMap((kind) =>
		Object.entries(config[`${kind}s` as const])
			.filter(([id]) => kind !== 'model' || !isUnused(id))
			.flatMap(([id, instance]) => planPart(kind, id, instance, config, problems)),
	);
	const graph = buildGraph(parts, problems);
	if (server.auth === 'on' && !graph.providers.has(services.authenticator.id)) problems.push(authMissing());
	const pools = Object.fromEntries(Object.entries(config.pools).filter(([id]) => !isUnused(id)));
	return { server, log, role, jobs, graph, pools, groups, unused, variables, problems: withoutConsequences(problems) };
}

/** The part that an entry of the config describes; none when its definition is invalid, which is reported. */
function planPart(
	kind: Part['kind'],
	id: string,
	binding: BackendInstance | ResolvedModel | PluginInstance,
	{ variables, own }: ResolvedConfig,
	problems: BootProblem[],
): readonly Part[] {
	const instance = 'use' in binding ? binding.use : binding;
	const { apiVersion, definition, options } = instance;
	const place = { owner: `${kind} ${id}`, path: `${kind}s.${id}` };
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
	const optionsPlace = { owner: place.owner, path: `${place.path}.with`, variables };
	const part = {
		...place,
		kind,
		id,
		definition,
		binding,
		options: checkOptions(definition.config, options, optionsPlace, problems),
		needs: kind === 'plugin' && jobs?.length ? { ...needs, ...jobNeeds } : needs,
		provides: providedValues(provides).map(([ref]) => ref),
		isInherited: !own.has(place.path),
	};
	return [part as Part];
}

const jobNeeds: Needs = {
	'(jobs) store': services.jobs,
	'(jobs) blobs': services.blobs,
	'(jobs) events': services.events,
};

/** Validates options. Returns the defaults when they are invalid, so that everything else can still be checked. */
function checkOptions<S extends z.ZodType>(
	schema: S,
	value: unknown,
	{ owner, path, variables }: ProblemPlace & Pick<BootPlan, 'variables'>,
	problems: BootProblem[],
): z.output<S> {
	const parsed = schema.safeParse(value, { jitless: true });
	if (parsed.success) return parsed.data;
	for (const issue of parsed.error.issues) {
		const at = pathName([path, ...issue.path]);
		const { message, remedy } = describeIssue(issue, { schema, value, at, variables });
		problems.push(bootProblem('E_OPTIONS_INVALID', { owner, path: at }, message, remedy));
	}
	return schema.safeParse({}).data ?? ({} as z.output<S>);
}

/** Removes duplicates and probable consequences of an unreadable `server` section, or of an entry without services. */
function withoutConsequences(problems: readonly BootProblem[]): readonly BootProblem[] {
	// A problem of a whole entry or preset, as opposed to one option of it.
	const isUnloaded = ({ code, path }: BootProblem) =>
		code === 'E_CONFIG_NAME' ||
		code === 'E_CONFIG_LOAD' ||
		(code === 'E_CONFIG_SHAPE' && /^(?:backends|plugins)\./.test(path));
	const unloaded = new Set(problems.filter(isUnloaded).map(({ path }) => path.replace(/\..*/s, '')));
	const isServerInvalid = problems.some(({ code, path }) => code === 'E_OPTIONS_INVALID' && /^server\b/.test(path));
	const isHidden = ({ code, path }: BootProblem) =>
		(code === 'E_SERVICE_MISSING' && path === 'server.auth' && isServerInvalid) ||
		(code === 'E_SERVICE_MISSING' && (unloaded.has('extends') || unloaded.has('backends'))) ||
		(code === 'E_MODEL_UNUSED' && (unloaded.has('extends') || unloaded.has('plugins')));
	const byText = new Map(problems.map((each) => [`${each.path}\n${each.message}`, each]));
	return [...byText.values()].filter((each) => !isHidden(each));
}
