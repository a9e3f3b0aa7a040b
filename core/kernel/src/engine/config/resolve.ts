import { resolve } from 'node:path';
import type { BackendInstance } from '../../contract/backend.ts';
import type { AppConfig } from '../../contract/config.ts';
import { learnEnvironment } from '../../contract/errors/redact.ts';
import type { PluginInstance } from '../../contract/plugin.ts';
import type { ResolvedGroup, ResolvedModel, ResolvedPool } from '../../models/binding.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { describeIssue, unknownNames } from './describe-issue.ts';
import { importFrom, NotFound, type PackageFolders } from './import-from.ts';
import { fill, instantiate, loadProblem, type Resolution } from './instantiate.ts';
import { type ConfigEntry, resolveGroups, resolveModels } from './models.ts';
import { configShape } from './shape.ts';

/** A config after presets, names and variables, for `createApp`. Both spellings of a config give equal values. */
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
	/** Entries under `models` that share their work among others. */
	readonly pools: Readonly<Record<string, ResolvedPool>>;
	readonly groups: Readonly<Record<string, ResolvedGroup>>;
	readonly plugins: Readonly<Record<string, ResolvedPlugin>>;
	/** By config path, the environment variable that a value came from, for messages. */
	readonly variables: ReadonlyMap<string, string>;
	/** Places of what a preset brought: `backends.blobs`. */
	readonly inherited: ReadonlySet<string>;
	/** What could not be resolved; `createApp` reports it together with everything else. */
	readonly problems: readonly BootProblem[];
}

/** A plugin instance, and the model of the requests that name none. */
export type ResolvedPlugin = PluginInstance & { readonly defaultModel?: string | undefined };

type Section = 'backends' | 'models' | 'groups' | 'plugins';

/** Applies presets, finds named factories and fills in variables. Never rejects: mistakes are in `problems`. */
export async function resolveConfig(
	config: AppConfig,
	from: PackageFolders & Pick<Resolution, 'env'>,
): Promise<ResolvedConfig> {
	const resolution: Resolution = { ...from, variables: new Map(), problems: [] };
	const { variables, problems } = resolution;
	learnEnvironment(from.env);
	const layers = await presetLayers(config, resolution);
	for (const layer of layers) checkShape(layer, problems);

	const settings = (key: 'server' | 'log' | 'jobs') =>
		fill(Object.assign({}, ...layers.map((layer) => layer[key] ?? {})), key, resolution);
	// What a missing preset would have brought is unknown.
	const isPresetLost = problems.some(({ path }) => path === 'extends');
	const merge = (section: Section) => mergeSection(layers, section, isPresetLost ? undefined : problems);
	const merged = { backends: merge('backends'), models: merge('models'), plugins: merge('plugins') };
	const inherited = Object.entries(merged).flatMap(([section, entries]) =>
		[...entries].flatMap(([id, entry]) => (entry.inherited ? [`${section}.${id}`] : [])),
	);
	const backends: Record<string, BackendInstance> = {};
	const plugins: Record<string, ResolvedPlugin> = {};
	for (const [id, { value }] of merged.backends) {
		const found = await instantiate<BackendInstance>(value, 'backend', id, resolution);
		if (found) backends[id] = found;
	}
	const { models, pools } = await resolveModels(merged.models, resolution);
	const groups = resolveGroups(merge('groups'), resolution);
	for (const [id, { value }] of merged.plugins) {
		const { defaultModel: given, ...entry } = value as { readonly defaultModel?: string };
		const defaultModel = fill(given, `plugins.${id}.defaultModel`, resolution);
		const found = await instantiate<PluginInstance>(entry, 'plugin', id, resolution);
		if (found) plugins[id] = { ...found, ...(given === undefined ? {} : { defaultModel }) };
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
		inherited: new Set(inherited),
		problems,
	};
}

const extendsPlace = { owner: 'config', path: 'extends' } as const;

/** The config and the presets that it extends, the farthest first. */
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

async function namedPreset(given: string, resolution: Resolution): Promise<AppConfig | undefined> {
	const name = fill(given, 'extends', resolution);
	// The last colon: a path may hold one too.
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

/** The entries of a section. Without `problems`, a preset is missing: nothing is known about what it brings. */
function mergeSection(
	layers: readonly AppConfig[],
	section: Section,
	problems: BootProblem[] | undefined,
): Map<string, ConfigEntry> {
	const merged = new Map<string, ConfigEntry>();
	for (const [index, layer] of layers.entries()) {
		for (const [id, value] of Object.entries(layer[section] ?? {})) {
			if (value === false && !merged.delete(id)) {
				const place = { owner: `${section.slice(0, -1)} ${id}`, path: `${section}.${id}` };
				const message = 'is removed by false, but no preset brings it.';
				problems?.push(bootProblem('E_CONFIG_SHAPE', place, message, 'Correct the spelling, or delete the line.'));
			}
			// Other values have been reported by `checkShape`.
			if (typeof value !== 'object' || value === null) continue;
			const base = merged.get(id)?.value;
			if (!base && !problems && !isWhole(value)) continue;
			merged.set(id, { value: base ? changed(base, value) : value, inherited: index < layers.length - 1 });
		}
	}
	return merged;
}

/** Whether an entry stands by itself. Any other one changes what a preset brings under the same key. */
function isWhole(entry: object): boolean {
	return '$kind' in entry || 'use' in entry || 'balance' in entry;
}

/** An entry of a preset with the changes to it; each option under `with` is replaced as a whole. */
function changed(base: object, change: object): object {
	if (isWhole(change)) return change;
	const entry: { readonly with?: object } = '$kind' in base ? { use: base } : base;
	const { with: given } = change as { readonly with?: object };
	return { ...entry, ...change, ...(given && { with: { ...entry.with, ...given } }) };
}
