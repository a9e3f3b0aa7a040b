import type { BackendInstance } from '../../contract/backend.ts';
import type { AppConfig } from '../../contract/config.ts';
import { learnEnvironment } from '../../contract/errors/redact.ts';
import type { PluginInstance } from '../../contract/plugin.ts';
import type { ResolvedModel, ResolvedPool } from '../../models/binding.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { describeIssue, unknownNames } from './describe-issue.ts';
import { fill, instantiate, type ResolveOptions, reason, remedyOf } from './factories.ts';
import { type ConfigEntry, resolveModels } from './models.ts';
import { importFrom, NotFound } from './names.ts';
import { configShape } from './shape.ts';

/** A config after presets, names and variables, for `createApp`. Both spellings of a config give equal values. */
export interface ResolvedConfig {
	readonly $kind: 'plinth.config';
	readonly server: Readonly<Record<string, unknown>>;
	readonly log: Readonly<Record<string, unknown>>;
	readonly jobs: Readonly<Record<string, unknown>>;
	readonly backends: Readonly<Record<string, BackendInstance>>;
	readonly models: Readonly<Record<string, ResolvedModel>>;
	/** Entries under `models` that share their work among others. */
	readonly pools: Readonly<Record<string, ResolvedPool>>;
	readonly plugins: Readonly<Record<string, PluginInstance>>;
	/** By config path, the environment variable that a value came from: whoever set it knows it by that name. */
	readonly variables: ReadonlyMap<string, string>;
	/** Places of what a preset brought: `backends.blobs`. */
	readonly inherited: ReadonlySet<string>;
	/** What could not be resolved; `createApp` reports it together with everything else. */
	readonly problems: readonly BootProblem[];
}

const sections = ['backends', 'models', 'plugins'] as const;
type Section = (typeof sections)[number];

/** Applies presets, finds named factories and fills in variables. Never rejects: mistakes are in `problems`. */
export async function resolveConfig(config: AppConfig, given: ResolveOptions): Promise<ResolvedConfig> {
	const problems: BootProblem[] = [];
	const variables = new Map<string, string>();
	const options = { ...given, variables };
	learnEnvironment(options.env);
	const layers = await presetLayers(config, options, problems);
	for (const layer of layers) checkShape(layer, problems);

	const settings = <K extends 'server' | 'log' | 'jobs'>(key: K) =>
		fill(Object.assign({}, ...layers.map((layer) => layer[key] ?? {})), key, options, problems);
	// Nobody can say what a preset that is not there would have brought.
	const isPresetLost = problems.some(({ path }) => path === 'extends');
	const merged = Object.fromEntries(
		sections.map((section) => [section, mergeSection(layers, section, isPresetLost ? [] : problems)]),
	) as Record<Section, Map<string, ConfigEntry>>;

	const inherited = new Set<string>();
	for (const section of sections) {
		for (const [id, entry] of merged[section]) if (entry.inherited) inherited.add(`${section}.${id}`);
	}
	const backends: Record<string, BackendInstance> = {};
	const plugins: Record<string, PluginInstance> = {};
	for (const [id, { value }] of merged.backends) {
		const found = await instantiate(value, 'plinth.backend', `backends.${id}`, options, problems);
		if (found) backends[id] = found as BackendInstance;
	}
	const { models, pools } = await resolveModels(merged.models, options, problems);
	for (const [id, { value }] of merged.plugins) {
		const found = await instantiate(value, 'plinth.plugin', `plugins.${id}`, options, problems);
		if (found) plugins[id] = found as PluginInstance;
	}
	return {
		$kind: 'plinth.config',
		server: settings('server'),
		log: settings('log'),
		jobs: settings('jobs'),
		backends,
		models,
		pools,
		plugins,
		variables,
		inherited,
		problems,
	};
}

const extendsPlace = { owner: 'config', path: 'extends' } as const;

/** The config and the presets that it extends, the farthest first. */
async function presetLayers(config: AppConfig, options: ResolveOptions, problems: BootProblem[]): Promise<AppConfig[]> {
	const layers = [config];
	for (let base = config.extends; base !== undefined; base = layers[0]?.extends) {
		const preset =
			typeof base === 'string' ? await namedPreset(fill(base, 'extends', options, problems), options, problems) : base;
		if (!preset) break;
		if (layers.includes(preset)) {
			const message = 'the presets extend each other in a cycle.';
			problems.push(bootProblem('E_CONFIG_SHAPE', extendsPlace, message));
			break;
		}
		layers.unshift(preset);
	}
	return layers;
}

async function namedPreset(
	name: string,
	{ folder }: ResolveOptions,
	problems: BootProblem[],
): Promise<AppConfig | undefined> {
	// Behind the last colon: a path may hold one too.
	const colon = name.lastIndexOf(':');
	const specifier = colon < 0 ? name : name.slice(0, colon);
	const exported = colon < 0 ? 'default' : name.slice(colon + 1);
	try {
		const module = await importFrom(specifier, folder);
		const preset = module[exported];
		if (isPreset(preset)) return preset;
		const presets = Object.keys(module).filter((key) => isPreset(module[key]));
		const names = presets.map((key) => (key === 'default' ? specifier : `${specifier}:${key}`));
		throw new NotFound(`${specifier} has no preset ${exported}`, unknownNames([name], names));
	} catch (error) {
		const message = `the preset "${name}" cannot be loaded: ${reason(error)}.`;
		const code = error instanceof NotFound ? 'E_CONFIG_NAME' : 'E_CONFIG_LOAD';
		problems.push(bootProblem(code, extendsPlace, message, remedyOf(error)));
		return undefined;
	}
}

/** A config that can be extended, as opposed to factories and their groups, such as `openai`. */
function isPreset(value: unknown): value is AppConfig {
	return typeof value === 'object' && value !== null && configShape.safeParse(value).success;
}

function checkShape(layer: AppConfig, problems: BootProblem[]): void {
	for (const issue of configShape.safeParse(layer).error?.issues ?? []) {
		const { message, remedy } = describeIssue(issue, { schema: configShape, value: layer });
		const path = issue.path.join('.') || '(top level)';
		problems.push(bootProblem('E_CONFIG_SHAPE', { owner: 'config', path }, message, remedy));
	}
}

function nothingToRemove(section: Section, id: string): BootProblem {
	const place = { owner: `${section.slice(0, -1)} ${id}`, path: `${section}.${id}` };
	const message = 'is removed by false, but no preset brings it.';
	return bootProblem('E_CONFIG_SHAPE', place, message, 'Correct the spelling, or delete the line.');
}

function mergeSection(
	layers: readonly AppConfig[],
	section: Section,
	problems: BootProblem[],
): Map<string, ConfigEntry> {
	const merged = new Map<string, ConfigEntry>();
	for (const [index, layer] of layers.entries()) {
		for (const [id, value] of Object.entries(layer[section] ?? {})) {
			if (value === false && !merged.delete(id)) problems.push(nothingToRemove(section, id));
			if (isEntry(value)) merged.set(id, { value, inherited: index < layers.length - 1 });
		}
	}
	return merged;
}

/** Anything else has been reported by `checkShape` already. */
function isEntry(value: unknown): boolean {
	return typeof value === 'object' && value !== null;
}
