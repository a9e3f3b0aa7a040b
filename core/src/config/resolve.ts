import type { BackendInstance } from '../backend.ts';
import type { AppConfig } from '../config.ts';
import type { PluginInstance } from '../plugin.ts';
import { learnEnvironment } from '../redact.ts';
import { fill, instantiate, type ResolveOptions, reason } from './factories.ts';
import {
	type ConfigEntry,
	type ResolvedModel,
	type ResolvedPool,
	resolveModels,
} from './models.ts';
import { importFrom } from './names.ts';
import { type BootProblem, bootProblem } from './problem.ts';
import { configShape } from './shape.ts';

/** A config after presets, names and variables: what `createApp` works on. Both spellings of a config give equal values. */
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
	/** What could not be resolved; `createApp` reports it together with everything else. */
	readonly problems: readonly BootProblem[];
}

const sections = ['backends', 'models', 'plugins'] as const;
type Section = (typeof sections)[number];

/** Applies presets, finds named factories and fills in variables. Never rejects: what is wrong is listed in `problems`. */
export async function resolveConfig(
	config: AppConfig,
	given: ResolveOptions,
): Promise<ResolvedConfig> {
	const problems: BootProblem[] = [];
	const variables = new Map<string, string>();
	const options = { ...given, variables };
	learnEnvironment(options.env);
	const layers = await presetLayers(config, options, problems);
	for (const layer of layers) checkShape(layer, problems);

	const settings = <K extends 'server' | 'log' | 'jobs'>(key: K) =>
		fill(Object.assign({}, ...layers.map((layer) => layer[key] ?? {})), key, options, problems);
	const entries = (section: Section) => mergeSection(layers, section, problems);

	const backends: Record<string, BackendInstance> = {};
	const plugins: Record<string, PluginInstance> = {};
	for (const [id, { value }] of entries('backends')) {
		const found = await instantiate(value, 'plinth.backend', `backends.${id}`, options, problems);
		if (found) backends[id] = found as BackendInstance;
	}
	const { models, pools } = await resolveModels(entries('models'), options, problems);
	for (const [id, { value }] of entries('plugins')) {
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
		problems,
	};
}

/** The config and the presets it extends, the farthest first. */
async function presetLayers(
	config: AppConfig,
	options: ResolveOptions,
	problems: BootProblem[],
): Promise<AppConfig[]> {
	const layers = [config];
	for (let base = config.extends; base !== undefined; base = layers[0]?.extends) {
		const preset =
			typeof base === 'string'
				? await namedPreset(fill(base, 'extends', options, problems), options, problems)
				: base;
		if (!preset) break;
		if (layers.includes(preset)) {
			problems.push(
				bootProblem(
					'E_CONFIG_SHAPE',
					'config',
					'extends',
					'presets extend each other in a circle.',
				),
			);
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
		const preset = (await importFrom(specifier, folder))[exported];
		if (typeof preset === 'object' && preset !== null) return preset;
		throw new Error(`${specifier} has no preset ${exported}`);
	} catch (error) {
		problems.push(
			bootProblem(
				'E_CONFIG_NAME',
				'config',
				'extends',
				`the preset "${name}" cannot be loaded: ${reason(error)}.`,
			),
		);
		return undefined;
	}
}

function checkShape(layer: AppConfig, problems: BootProblem[]): void {
	for (const issue of configShape.safeParse(layer).error?.issues ?? []) {
		problems.push(
			bootProblem(
				'E_CONFIG_SHAPE',
				'config',
				issue.path.join('.') || '(top level)',
				`${issue.message}.`,
			),
		);
	}
}

function nothingToRemove(section: Section, id: string): BootProblem {
	return bootProblem(
		'E_CONFIG_SHAPE',
		`${section.slice(0, -1)} ${id}`,
		`${section}.${id}`,
		'is removed by false, but no preset brings it.',
		'Correct the spelling, or delete the line.',
	);
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
