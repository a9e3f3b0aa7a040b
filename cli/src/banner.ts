import { resolve } from 'node:path';
import { type App, version } from '@plinth/core';
import { facts } from './facts.ts';

/** What the banner tells. */
export interface BannerFacts {
	readonly app: App;
	readonly url: string;
	/** The config file; undefined for the built-in composition. */
	readonly file: string | undefined;
	/** Which keys open it; `key` is one that was made just now and is shown only here. */
	readonly keys: { readonly key: string | null; readonly lines: readonly string[] };
	/** True when no key is asked for. */
	readonly isOpen: boolean;
}

/** What a person who has started the server wants to know, in one screen. */
export function banner({ app, url, file, keys, isOpen }: BannerFacts): string {
	const { parts, models } = app.tree();
	const plugins = parts.filter(({ owner }) => owner.startsWith('plugin '));
	const served = plugins.map(({ owner, routes: [first = 'no route', ...others] }) => {
		const more = others.length > 0 ? ` and ${others.length} more routes` : '';
		return `${owner.slice(7)}: ${first}${more}`;
	});
	return facts(`Plinth ${version}`, [
		['serving', [url, `${url}/openapi.json`]],
		['composed by', [file ?? 'the built-in composition; plinth.config.ts replaces it']],
		['plugins', served],
		['models', models.map(({ id, description }) => (description ? `${id}: ${description}` : id))],
		['data', [file ? 'as configured' : resolve(process.env.PLINTH_DATA_DIR || './.plinth')]],
		['key', keys.lines],
		['try', [`curl ${url}/v1/models${isOpen ? '' : ` -H "x-api-key: ${keys.key ?? '<key>'}"`}`]],
	]);
}
