import type { App, TreeModel } from '@plinth/core';
import { dataPlaces } from './data-places.ts';
import { checkKeys } from './doctor/composition.ts';
import { serverSettings } from './doctor/network.ts';
import { formatSection } from './format-section.ts';
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
	const rest = refused.size > 0 ? `, and ${refused.size} that are not offered` : '';
	return formatSection(`${file ?? 'the built-in composition'} is fine`, [
		['plugins', [plugins.join(', ') || 'none']],
		['models', [models.map(describeModel).join(', ') || 'none']],
		['groups', Object.entries(config.groups ?? {}).map(([id, group]) => `${id} (${group.models.join(', ')})`)],
		['not served', unused.length > 0 ? [unused.join(', ')] : []],
		['routes', [`${allRoutes.length - refused.size}${rest}`]],
		['backends', [ids('backend').join(', ') || 'none']],
		['data', [dataPlaces(app, config).join('; ')]],
		['keys', [(await checkKeys(app, config)).text]],
		['address', [`${host}:${port}`]],
		['more', ['plinth check --verbose']],
	]);
}

/** The routes that only respond that the operation is not offered, such as `GET /v1/videos/edits`. */
export function notOffered(app: App): ReadonlySet<string> {
	const { paths } = app.openapi() as { paths: Record<string, Record<string, { summary?: string }>> };
	return new Set(
		Object.entries(paths).flatMap(([path, operations]) =>
			Object.entries(operations).flatMap(([method, { summary: text = '' }]) =>
				text.endsWith('(not offered)') ? [`${method.toUpperCase()} ${path}`] : [],
			),
		),
	);
}

function describeModel({ id, kind, aliases = [], fallback = [] }: TreeModel): string {
	const others = aliases.length > 0 ? `, also ${aliases.join(', ')}` : '';
	const next = fallback.length > 0 ? `, then ${fallback.join(', ')}` : '';
	return `${id} (${kind}${others}${next})`;
}
