import { globSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { embedded } from '../../cli/src/embedded.ts';
import { jobSettings } from '../../core/kernel/src/contract/jobs/settings.ts';
import {
	id,
	modelBindingShape,
	modelGroupShape,
	modelPoolShape,
} from '../../core/kernel/src/contract/model-settings.ts';
import { logSettings, roleSetting, serverSettings } from '../../core/kernel/src/contract/server-settings.ts';
import type { configShape } from '../../core/kernel/src/engine/config/shape.ts';
import { type Described, factoriesOf } from './factories.ts';
import { describe, type Json, numberText, switchText, toJson, variable } from './json-schema.ts';
import { type Place, placesOf } from './meanings.ts';

const root = resolve(import.meta.dirname, '../..');
const contract = (file: string, after = ''): Place => ({ file: join(root, 'core/kernel/src/contract', file), after });

/** A factory, and its names in configs. */
interface Named extends Described {
	/** `@plinth/fs#fsBlobs`, or only the package if it exports a single factory of the kind. */
	readonly uses: readonly string[];
	/** The schema of its options. */
	readonly options: Json;
}

/** The JSON Schema of configs in YAML and JSON. */
export async function configSchema(): Promise<string> {
	const folders = globSync('{core,adapters,plugins}/*/package.json', { cwd: root }).map(dirname).sort();
	const packages = await Promise.all(folders.map(packageOf));
	const named = packages.flatMap(({ factories }) => factories);
	const known = packages.filter(({ factories }) => factories.length > 0).map(({ name }) => name);
	const of = (kind: Described['kind']) => named.filter((factory) => factory.kind === kind);
	const binding = toJson(modelBindingShape, [contract('model-settings.ts')]);
	const pool = toJson(modelPoolShape, [
		contract('model-settings.ts', 'const modelPoolShape'),
		contract('model-settings.ts'),
	]);
	const plugin = {
		properties: describe({ defaultModel: toJson(id, []) }, [contract('config.ts', 'type PluginBinding')]),
	};
	const entries = {
		backend: entryOf(of('backend'), known),
		model: choose({ required: ['balance'] }, pool, entryOf(of('model'), known, binding)),
		plugin: entryOf(of('plugin'), known, plugin),
	};
	const besides = { backend: {}, model: binding, plugin };
	const section = (kind: Described['kind'], preset: object = {}) => ({
		type: 'object',
		propertyNames: toJson(id, []),
		properties: Object.fromEntries(
			Object.entries(preset).map(([key, entry]) => [key, changeOf(entry, of(kind), besides[kind])]),
		),
		additionalProperties: removable({ $ref: `#/definitions/${kind}` }),
	});
	const properties = describe(
		{
			extends: { anyOf: [{ const: 'plinth:embedded' }, { type: 'string' }] },
			server: toJson(serverSettings, [contract('server-settings.ts')]),
			log: toJson(logSettings, [contract('server-settings.ts', 'const logSettings')]),
			role: toJson(roleSetting, []),
			jobs: toJson(jobSettings, [contract('jobs/settings.ts')]),
			backends: section('backend', embedded.backends),
			models: section('model', embedded.models),
			groups: {
				type: 'object',
				propertyNames: toJson(id, []),
				additionalProperties: removable(
					toJson(modelGroupShape, [contract('model-settings.ts', 'const modelGroupShape')]),
				),
			},
			plugins: section('plugin', embedded.plugins),
		} satisfies Record<keyof typeof configShape.shape, Json>,
		[contract('config.ts', 'interface AppConfig')],
	);
	const options = named.map((factory) => [keyOf(factory), factory.options]);
	const schema = {
		$schema: 'http://json-schema.org/draft-07/schema#',
		title: 'A config of Plinth',
		type: 'object',
		properties: { $schema: { type: 'string', description: 'This schema, for editors.' }, ...properties },
		additionalProperties: false,
		definitions: { variable, numberText, switchText, ...entries, ...Object.fromEntries(options) },
	};
	return JSON.stringify(schema, null, '\t');
}

async function packageOf(path: string) {
	const folder = join(root, path);
	const { default: manifest } = await import(join(folder, 'package.json'), { with: { type: 'json' } });
	const name = String(manifest.name);
	const exported = factoriesOf(await import(name));
	const factories = exported.map((factory): Named => {
		const isOnly = exported.filter(({ kind }) => kind === factory.kind).length === 1;
		const needsNoName = isOnly && !factory.name.includes('.');
		return {
			...factory,
			uses: [...(needsNoName ? [name] : []), `${name}#${factory.name}`],
			options: toJson(factory.config, placesOf(folder, factory.name)),
		};
	});
	return { name, factories };
}

const keyOf = ({ kind, name }: Described) => `${kind}:${name}`;
const reference = (factory: Described): Json => ({ $ref: `#/definitions/${keyOf(factory)}` });

/**
 * An entry with a factory. The schema of the options depends on its name. For other packages any options are allowed.
 */
function entryOf(factories: readonly Named[], known: readonly string[], beside: Json = {}): Json {
	return {
		type: 'object',
		required: ['use'],
		properties: {
			use: {
				description: 'The factory: <package>#<export>, ./<file>#<export>, or the package alone.',
				anyOf: [
					{ enum: factories.flatMap(({ uses }) => uses) },
					{ type: 'string', not: { pattern: `^(?:${known.join('|')})(?:#|$)` } },
				],
			},
			with: { type: 'object', description: 'The options of the factory.' },
			...(beside.properties as object),
		},
		additionalProperties: false,
		allOf: factories.map((factory) =>
			choose(
				{ properties: { use: { enum: factory.uses } }, required: ['use'] },
				{ properties: { with: reference(factory) }, ...(factory.options.required ? { required: ['with'] } : {}) },
			),
		),
	};
}

/** An entry of the preset. Without `use`, it changes options of the factory of the preset. */
function changeOf(entry: object, factories: readonly Named[], beside: Json): Json {
	const { name, id: own } = (entry as { definition: { name?: string; id?: string } }).definition;
	const factory = factories.find((each) => each.name === (name ?? own));
	if (!factory) throw new Error(`No package exports ${name ?? own}.`);
	const { required, ...optional } = factory.options;
	const change = {
		type: 'object',
		properties: { with: required ? optional : reference(factory), ...(beside.properties as object) },
		additionalProperties: false,
	};
	const isReplacement = { anyOf: [{ required: ['use'] }, { required: ['balance'] }] };
	return removable(choose(isReplacement, { $ref: `#/definitions/${factory.kind}` }, change));
}

/** `false` removes an entry of the preset. */
function removable(entry: Json): Json {
	return choose({ type: 'boolean' }, { const: false }, entry);
}

/** One schema for values that meet a condition, and one for all others. */
function choose(condition: Json, met: Json, unmet?: Json): Json {
	// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
	return { if: condition, then: met, ...(unmet ? { else: unmet } : {}) };
}
