import type { BootTree, TreeModel, TreePart } from '@plinth/core';

/**
 * Formats a boot tree. Lists the parts in the order of their creation, each with its needs and their providers. Puts
 * the paths of routes that are not offered into one line.
 */
export function formatTree({ parts, models, unusedModels }: BootTree, notOffered: ReadonlySet<string>): string {
	const lines = parts.flatMap((part) => formatPart(part, notOffered));
	const listed = models.flatMap(formatModel);
	const unused = unusedModels.map(({ id, kind }) => `  ${id} (${kind}): not served, no plugin consumes ${kind} models`);
	return `${[...lines, '', 'models', ...listed, ...unused].join('\n')}\n`;
}

function formatModel({ id, kind, description, aliases = [], fallback = [] }: TreeModel): string[] {
	return [
		`  ${id} (${kind})${description ? `: ${description}` : ''}`,
		...(aliases.length > 0 ? [`    aliases: ${aliases.join(', ')}`] : []),
		...(fallback.length > 0 ? [`    if it fails: ${fallback.join(', then ')}`] : []),
	];
}

function formatPart({ owner, factory, needs, provides, routes }: TreePart, notOffered: ReadonlySet<string>): string[] {
	const refused = new Set(routes.filter((route) => notOffered.has(route)).map((route) => route.replace(/^\S+ /, '')));
	const name = owner.endsWith(` ${factory}`) ? '' : ` (${factory})`;
	const provided = provides.length > 0 ? ` provides ${provides.join(', ')}` : '';
	return [
		`${owner}${name}${provided}`,
		...needs.map(({ service, provider }) => `  needs ${service} from ${provider ?? 'nothing (optional)'}`),
		...routes.flatMap((route) => (notOffered.has(route) ? [] : [`  route ${route}`])),
		...(refused.size > 0 ? [`  not offered: ${[...refused].join(', ')}`] : []),
	];
}
