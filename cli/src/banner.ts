import { type App, type ResolvedConfig, version } from '@plinth/core';
import { formatSection } from './format-section.ts';
import { commandFor } from './own-command.ts';

/** The content of the banner. */
export interface BannerOptions {
	readonly app: App;
	readonly config: ResolvedConfig;
	readonly url: string;
	/** The config file; undefined for the built-in composition. */
	readonly file: string | undefined;
	/** Where the composition keeps its data. */
	readonly data: readonly string[];
	/** Lines about the API keys; `key` is a key that this start created; it is shown only here. */
	readonly keys: { readonly key: string | null; readonly lines: readonly string[] };
	/** Whether authentication is off. */
	readonly isAuthOff: boolean;
}

/** The banner that is printed after the start. */
export function banner({ app, config, url, file, data, keys, isAuthOff }: BannerOptions): string {
	const { parts, models } = app.tree();
	const plugins = parts.filter(({ owner }) => owner.startsWith('plugin '));
	const kinds = new Set(models.map(({ kind }) => kind));
	const pluginLines = plugins.map(({ owner, routes }) => {
		const id = owner.slice(7);
		return `${id}: ${missingModel(config.plugins[id], kinds) ?? routesInShort(routes)}`;
	});
	const hasConsole = plugins.some(({ routes }) => routes.includes('GET /'));
	return formatSection(`Plinth ${version}`, [
		['serving', [url, `${url}/openapi.json`]],
		...(hasConsole ? [['console', [`${url}/ in a browser`]] as const] : []),
		['composed by', [file ?? 'the built-in composition; plinth.config.yaml or plinth.config.ts replaces it']],
		['plugins', pluginLines],
		['routes', [`listed by ${commandFor(file, 'check --verbose')}`]],
		['models', models.map(({ id, description }) => (description ? `${id}: ${description}` : id))],
		['data', data],
		['key', keys.lines],
		['try', [`curl ${url}/v1/models${isAuthOff ? '' : ` -H "x-api-key: ${keys.key ?? '<key>'}"`}`]],
	]);
}

/** What a plugin needs that calls models and has none: it refuses its requests. */
function missingModel(plugin: ResolvedConfig['plugins'][string] | undefined, kinds: ReadonlySet<string>) {
	const wanted = plugin?.definition.models?.map(({ name }) => name) ?? [];
	return wanted.length > 0 && !wanted.some((name) => kinds.has(name))
		? `needs a model of the kind ${wanted.join(' or ')}`
		: undefined;
}

// Has no count: only the OpenAPI document says which routes are refused, and making it takes a tenth of a start.
function routesInShort([first = 'no route', ...others]: readonly string[]): string {
	return others.length > 0 ? `${first} and others` : first;
}
