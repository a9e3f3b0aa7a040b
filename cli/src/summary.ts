import type { App, TreeModel } from '@plinth/core';
import { counted } from './counted.ts';
import { dataPlaces } from './data-places.ts';
import { checkKeys } from './doctor/composition.ts';
import { serverSettings } from './doctor/network.ts';
import { formatSection } from './format-section.ts';
import { notOffered } from './not-offered.ts';
import { commandFor } from './own-command.ts';
import type { LoadedConfig } from './read-config.ts';

/** Describes a composition in about ten lines. */
export async function summary(app: App, { file, config }: LoadedConfig): Promise<string> {
	const { parts, models, unusedModels } = app.tree();
	const ids = (kind: string) =>
		parts.flatMap(({ owner }) => (owner.startsWith(`${kind} `) ? [owner.slice(kind.length + 1)] : []));
	const plugins = ids('plugin').map((id) => {
		const { defaultModel } = config.plugins[id] ?? {};
		return defaultModel === undefined ? id : `${id} (default model ${defaultModel})`;
	});
	const { host, port } = serverSettings(config.server);
	const unused = unusedModels.map(({ id, kind }) => `${id} (no plugin uses ${kind} models)`);
	const allRoutes = parts.flatMap(({ routes }) => routes);
	const refused = notOffered(app);
	const offered = counted(allRoutes.length - refused.size, 'route');
	const rest = refused.size > 0 ? `; ${refused.size} more answer 404 (see --verbose)` : '';
	return formatSection(`${file ?? 'the built-in composition'} is fine`, [
		['plugins', [plugins.join(', ') || 'none']],
		['models', [models.map(describeModel).join(', ') || 'none']],
		['groups', Object.entries(config.groups ?? {}).map(([id, group]) => `${id} (${group.models.join(', ')})`)],
		['not served', unused.length > 0 ? [unused.join(', ')] : []],
		['routes', [`${offered}${rest}`]],
		['backends', [ids('backend').join(', ') || 'none']],
		['data', [dataPlaces(app, config).join('; ')]],
		['keys', [(await checkKeys(app, { file, config })).text]],
		['address', [`${host}:${port}`]],
		['more', [commandFor(file, 'check --verbose')]],
	]);
}

function describeModel({ id, kind, aliases = [], fallback = [] }: TreeModel): string {
	const others = aliases.length > 0 ? `, also ${aliases.join(', ')}` : '';
	const next = fallback.length > 0 ? `, then ${fallback.join(', ')}` : '';
	return `${id} (${kind}${others}${next})`;
}
