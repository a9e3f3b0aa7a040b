import { globSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { jobSettings } from '../../core/kernel/src/contract/jobs/settings.ts';
import { modelBindingShape, modelGroupShape, modelPoolShape } from '../../core/kernel/src/contract/model-settings.ts';
import { logSettings, serverSettings } from '../../core/kernel/src/contract/server-settings.ts';
import { configShape } from '../../core/kernel/src/engine/config/shape.ts';
import { type Described, factoriesOf, ownersOf, type Variant, variantsOf } from './factories.ts';
import { type Cells, table } from './markdown.ts';
import { meaningIn, type Place, placesOf } from './meanings.ts';
import { defaultOf, optionsOf, typeOf } from './schema.ts';

const root = resolve(import.meta.dirname, '../..');
const core = (file: string, after?: string): Place => ({
	file: join(root, 'core/kernel/src', file),
	...(after && { after }),
});

/** The page of every key of a config. Throws when a key has no doc comment. */
export async function configPage(): Promise<string> {
	const config = core('contract/config.ts', 'interface AppConfig');
	const packages = await Promise.all(
		[...folders('core'), ...folders('adapters'), ...folders('plugins')].map(packageOf),
	);
	const sections = (kind: Described['kind']) =>
		packages.flatMap(({ title, folder, factories }) => {
			const own = factories.filter((factory) => factory.kind === kind);
			return own.length === 0 ? [] : [sectionOf(title, folder, own)];
		});
	const sectionNames = Object.keys(configShape.shape).filter((name) => name !== 'extends' && name !== 'role');
	return [
		'---\naside: false\n---',
		'# Config reference',
		`Sections: ${sectionNames.map((name) => `[${name}](#${name})`).join(' · ')}`,
		[
			'- A text may contain `${NAME}` or `${NAME:-default}` for an environment variable.',
			'- An unknown key is an error: the server does not start.',
			'- A `?` marks an optional service. The part works without it.',
		].join('\n'),
		table(
			['key', 'what'],
			Object.keys(configShape.shape).map((name) => [`\`${name}\``, meaningOf([config], name)]),
		),
		'## `server`',
		settings(serverSettings, [core('contract/server-settings.ts')]),
		'## `log`',
		settings(logSettings, [core('contract/server-settings.ts', 'const logSettings')]),
		'## `jobs`',
		'All times are in milliseconds.',
		settings(jobSettings, [core('contract/jobs/settings.ts')]),
		'## Backends',
		entryOf('backends'),
		...sections('backend'),
		'## Models',
		'An entry of `models` is a factory call, a pool, or `{ use, with }` with the keys below.',
		'[Models in the config](../models.md) explains them.',
		settings(modelBindingShape, [core('contract/model-settings.ts')]),
		'### Pools',
		settings(modelPoolShape, [
			core('contract/model-settings.ts', 'const modelPoolShape'),
			core('contract/model-settings.ts'),
		]),
		...sections('model'),
		'## Groups',
		'[Groups that share a device](../models.md#groups-that-share-a-device) explains them.',
		settings(modelGroupShape, [core('contract/model-settings.ts', 'const modelGroupShape')]),
		'## Plugins',
		entryOf('plugins'),
		...sections('plugin'),
	].join('\n\n');
}

const entryOf = (key: string) =>
	`In TypeScript, an entry of \`${key}\` is a factory call. ` +
	'In YAML, `use` names the factory and `with` has its options.';

interface Package {
	/** The import specifier. */
	readonly title: string;
	readonly folder: string;
	readonly factories: readonly Described[];
}

const folders = (group: string) => globSync(`${group}/*/package.json`, { cwd: root }).map(dirname).sort();

async function packageOf(path: string): Promise<Package> {
	const folder = join(root, path);
	const { default: manifest } = await import(join(folder, 'package.json'), {
		with: { type: 'json' },
	});
	return {
		title: manifest.name,
		folder,
		factories: factoriesOf(await import(manifest.name)),
	};
}

function settings(schema: z.ZodType, places: readonly Place[]): string {
	const rows = [...optionsOf(schema)].map(({ name, schema }) => [
		`\`${name}\``,
		typeOf(schema),
		defaultOf(schema),
		meaningOf(places, name),
	]);
	return table(['key', 'type', 'default', 'what'], rows);
}

function sectionOf(title: string, folder: string, factories: readonly Described[]): string {
	const own = factories.map((factory) => {
		const services = factory.needs.map((id) => `\`${id}\``).join(', ');
		const provides = factory.provides.map((id) => `\`${id}\``).join(', ');
		const parts = [provides && `provides ${provides}`, services && `needs ${services}`];
		return `- \`${title}#${factory.name}\`: ${parts.filter(Boolean).join('; ') || 'needs nothing'}.`;
	});
	const variants = factories.flatMap(variantsOf);
	const rows = new Map<string, { cells: Cells; owners: Variant[] }>();
	for (const variant of variants) {
		const places = placesOf(folder, variant.name);
		for (const { name, schema } of optionsOf(variant.config)) {
			const cells = [`\`${name}\``, typeOf(schema), defaultOf(schema), meaningOf(places, name)];
			const row = rows.get(cells.join()) ?? { cells, owners: [] };
			rows.set(cells.join(), { cells, owners: [...row.owners, variant] });
		}
	}
	const parts = [`### ${title}`, own.join('\n')];
	if (rows.size === 0) return [...parts, 'No options.'].join('\n\n');
	const hasOwners = variants.length > 1;
	const head = ['option', ...(hasOwners ? ['of'] : []), 'type', 'default', 'what'];
	const lines = [...rows.values()].map(({ cells: [name = '', ...others], owners }) => [
		name,
		...(hasOwners ? [ownersOf(owners, variants)] : []),
		...others,
	]);
	return [...parts, table(head, lines)].join('\n\n');
}

function meaningOf(places: readonly Place[], name: string): string {
	const meaning = meaningIn(places, name);
	if (meaning === undefined) {
		throw new Error(`${name} has no doc comment in ${places[0]?.file}: add one above it.`);
	}
	return meaning;
}
