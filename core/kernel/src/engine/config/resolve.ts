import { resolve } from 'node:path';
import type { BackendInstance } from '../../contract/backend.ts';
import type { AppConfig } from '../../contract/config.ts';
import { learnEnvironment } from '../../contract/errors/redact.ts';
import type { ResolvedGroup, ResolvedModel, ResolvedPool } from '../../contract/model-settings.ts';
import type { PluginInstance } from '../../contract/plugin.ts';
import { pathName } from '../../contract/words.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { describeIssue, unknownNames } from './describe-issue.ts';
import { importFrom, NotFound, type PackageFolders } from './import-from.ts';
import { type Entry, instantiate, loadProblem, type Resolution } from './instantiate.ts';
import { resolveGroups, resolveModels } from './models.ts';
import { configShape } from './shape.ts';
import { fill } from './variables.ts';

/** A config with resolved presets, names and variables, for `createApp`. Names and factory calls give equal values. */
export interface ResolvedConfig {
	readonly $kind: 'plinth.config';
	/** Absolute: relative paths and names of packages in options resolve from here. */
	readonly folder: string;
	readonly server: Readonly<Record<string, unknown>>;
	readonly log: Readonly<Record<string, unknown>>;
	readonly role: string | undefined;
	readonly jobs: Readonly<Record<string, unknown>>;
	readonly backends: Readonly<Record<string, BackendInstance>>;
	readonly models: Readonly<Record<string, ResolvedModel>>;
	/** Entries under `models` that balance their calls over other models. */
	readonly pools: Readonly<Record<string, ResolvedPool>>;
	readonly groups: Readonly<Record<string, ResolvedGroup>>;
	readonly plugins: Readonly<Record<string, ResolvedPlugin>>;
	/** By config path, the environment variable that a value came from, for messages. */
	readonly variables: ReadonlyMap<string, string>;
	/** Config paths of entries that the config itself adds or changes: `backends.blobs`. All others are from presets. */
	readonly own: ReadonlySet<string>;
	/** Problems of the resolution. `createApp` reports them together with all others. */
	readonly problems: readonly BootProblem[];
}

/** A plugin instance, and the model for requests that name none. */
export type ResolvedPlugin = PluginInstance & { readonly defaultModel?: string | undefined };

const sections = ['backends', 'models', 'groups', 'plugins'] as const;
type Section = (typeof sections)[number];

/** Applies presets, finds named factories and fills in variables. Never rejects: problems are in `problems`. */
export async function resolveConfig(
	config: AppConfig,
	from: PackageFolders & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ResolvedConfig> {
	const resolution: Resolution = { ...from, variables: new Map(), problems: [] };
	const { variables, problems } = resolution;
	learnEnvironment(from.env);
	const layers = await presetLayers(config, resolution);
	for (const layer of layers) checkShape(layer, problems);

	const settings = (key: 'server' | 'log' | 'jobs') =>
		fill(Object.assign({}, ...layers.map((layer) => layer[key] ?? {})), key, resolution);
	// The entries of a preset that cannot be loaded are unknown.
	const isPresetMissing = problems.some(({ path }) => path === 'extends');
	const merge = (section: Section) => mergeSection(layers, section, isPresetMissing ? undefined : problems);
	const placesIn = (section: Section) => Object.keys(config[section] ?? {}).map((id) => `${section}.${id}`);
	const backends: Record<string, BackendInstance> = {};
	const plugins: Record<string, ResolvedPlugin> = {};
	for (const [id, entry] of merge('backends')) {
		const instance = await instantiate<BackendInstance>(entry, 'backend', id, resolution);
		if (instance) backends[id] = instance;
	}
	const { models, pools } = await resolveModels(merge('models'), resolution);
	const groups = resolveGroups(merge('groups'), resolution);
	for (const [id, entry] of merge('plugins')) {
		const { defaultModel: model, ...others } = entry as Entry & { readonly defaultModel?: string };
		const defaultModel = fill(model, `plugins.${id}.defaultModel`, resolution);
		const instance = await instantiate<PluginInstance>(others, 'plugin', id, resolution);
		if (instance) plugins[id] = { ...instance, ...(model === undefined ? {} : { defaultModel }) };
	}
	return {
		$kind: 'plinth.config',
		folder: resolve(from.folder),
		server: settings('server'),
		log: settings('log'),
		role: fill(layers.findLast(({ role }) => role !== undefined)?.role, 'role', resolution),
		jobs: settings('jobs'),
		backends,
		models,
		pools,
		groups,
		plugins,
		variables,
		own: new Set(sections.flatMap(placesIn)),
		problems,
	};
}

const extendsPlace = { owner: 'config', path: 'extends' } as const;

/** The config and the presets that it extends, the base first. */
async function presetLayers(config: AppConfig, resolution: Resolution): Promise<AppConfig[]> {
	const layers = [config];
	for (let base = config.extends; base !== undefined; base = layers[0]?.extends) {
		const preset = typeof base === 'string' ? await namedPreset(base, resolution) : base;
		if (!preset) break;
		if (layers.includes(preset)) {
			const message = 'the presets extend each other in a cycle.';
			resolution.problems.push(bootProblem('E_CONFIG_SHAPE', extendsPlace, message));
			break;
		}
		layers.unshift(preset);
	}
	return layers;
}

async function namedPreset(reference: string, resolution: Resolution): Promise<AppConfig | undefined> {
	const name = fill(reference, 'extends', resolution);
	// The last colon, because a path may contain one too.
	const colon = name.lastIndexOf(':');
	const specifier = colon < 0 ? name : name.slice(0, colon);
	const exported = colon < 0 ? 'default' : name.slice(colon + 1);
	try {
		const module = await importFrom(specifier, resolution);
		const preset = module[exported];
		if (isPreset(preset)) return preset;
		const presets = Object.keys(module).filter((key) => isPreset(module[key]));
		const names = presets.map((key) => (key === 'default' ? specifier : `${specifier}:${key}`));
		throw new NotFound(`${specifier} has no preset ${exported}`, unknownNames([name], names));
	} catch (error) {
		resolution.problems.push(loadProblem(error, extendsPlace, `the preset "${name}"`));
		return undefined;
	}
}

/** Whether a value is a config that can be extended, and not a factory or an object of factories, such as `openai`. */
function isPreset(value: unknown): value is AppConfig {
	return typeof value === 'object' && value !== null && configShape.safeParse(value, { jitless: true }).success;
}

function checkShape(layer: AppConfig, problems: BootProblem[]): void {
	for (const issue of configShape.safeParse(layer, { jitless: true }).error?.issues ?? []) {
		const path = pathName(issue.path) || '(top level)';
		const { message, remedy } = describeIssue(issue, { schema: configShape, value: layer, at: path });
		problems.push(bootProblem('E_CONFIG_SHAPE', { owner: 'config', path }, message, remedy));
	}
}

/** The merged entries of a section. Without `problems`, a preset is missing, and its entries are unknown. */
function mergeSection(layers: readonly AppConfig[], section: Section, problems?: BootProblem[]): Map<string, Entry> {
	const merged = new Map<string, Entry>();
	for (const layer of layers) {
		for (const [id, value] of Object.entries(layer[section] ?? {})) {
			if (value === false && !merged.delete(id)) {
				const place = { owner: `${section.slice(0, -1)} ${id}`, path: `${section}.${id}` };
				const message = 'is removed by false, but no preset defines it.';
				problems?.push(bootProblem('E_CONFIG_SHAPE', place, message, 'Correct the spelling, or delete the line.'));
			}
			// `checkShape` has reported all other values.
			if (typeof value !== 'object' || value === null) continue;
			const entry: Entry = '$kind' in value ? { use: value } : { ...value };
			const base = merged.get(id);
			if (!base && !problems && !isComplete(entry)) continue;
			merged.set(id, base ? applyChange(base, entry) : entry);
		}
	}
	return merged;
}

/** Whether an entry is complete. Any other one changes the preset's entry with the same key. */
function isComplete(entry: Entry): boolean {
	return 'use' in entry || 'balance' in entry;
}

/** Applies changes to an entry of a preset. Each option under `with` is replaced as a whole. */
function applyChange(base: Entry, change: Entry): Entry {
	if (isComplete(change)) return change;
	return { ...base, ...change, ...(change.with && { with: { ...base.with, ...change.with } }) };
}
