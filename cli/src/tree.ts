import type { BootTree, TreeModel, TreePart } from '@plinth/core';

/** Prints a boot tree: parts in the order of their creation, under each what it needs and who provides it. */
export function formatTree({ parts, models, unusedModels }: BootTree): string {
	const lines = parts.flatMap(formatPart);
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

function formatPart({ owner, factory, needs, provides, routes }: TreePart): string[] {
	const name = owner.endsWith(` ${factory}`) ? '' : ` (${factory})`;
	const provided = provides.length > 0 ? ` provides ${provides.join(', ')}` : '';
	return [
		`${owner}${name}${provided}`,
		...needs.map(({ service, provider }) => `  needs ${service} from ${provider ?? 'nothing (optional)'}`),
		...routes.map((route) => `  route ${route}`),
	];
}
