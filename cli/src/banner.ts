import { type App, version } from '@plinth/core';
import { formatSection } from './format-section.ts';

/** The content of the banner. */
export interface BannerOptions {
	readonly app: App;
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
export function banner({ app, url, file, data, keys, isAuthOff }: BannerOptions): string {
	const { parts, models } = app.tree();
	const plugins = parts.filter(({ owner }) => owner.startsWith('plugin '));
	const pluginLines = plugins.map(({ owner, routes: [first = 'no route', ...others] }) => {
		const rest = others.length > 0 ? ` and ${others.length} more ${others.length === 1 ? 'route' : 'routes'}` : '';
		return `${owner.slice(7)}: ${first}${rest}`;
	});
	const hasConsole = plugins.some(({ routes }) => routes.includes('GET /'));
	return formatSection(`Plinth ${version}`, [
		['serving', [url, `${url}/openapi.json`]],
		...(hasConsole ? [['console', [`${url}/ in a browser`]] as const] : []),
		['composed by', [file ?? 'the built-in composition; plinth.config.ts replaces it']],
		['plugins', pluginLines],
		['models', models.map(({ id, description }) => (description ? `${id}: ${description}` : id))],
		['data', data],
		['key', keys.lines],
		['try', [`curl ${url}/v1/models${isAuthOff ? '' : ` -H "x-api-key: ${keys.key ?? '<key>'}"`}`]],
	]);
}
