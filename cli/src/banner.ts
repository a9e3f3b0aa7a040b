import { resolve } from 'node:path';
import { type App, services, version } from '@plinth/core';
import { facts } from './facts.ts';

/** What the banner tells. */
export interface BannerFacts {
	readonly app: App;
	readonly url: string;
	/** The config file; undefined for the built-in composition. */
	readonly file: string | undefined;
	/** A key that was made just now and is shown only here. */
	readonly firstKey: string | null;
}

/** What a person who has started the server wants to know, in one screen. */
export function banner({ app, url, file, firstKey }: BannerFacts): string {
	const { parts, models } = app.tree();
	const plugins = parts.filter(({ owner }) => owner.startsWith('plugin '));
	const served = plugins.map(({ owner, routes: [first = 'no route', ...others] }) => {
		const more = others.length > 0 ? ` and ${others.length} more routes` : '';
		return `${owner.slice(7)}: ${first}${more}`;
	});
	const isOpen = !parts.some(({ provides }) => provides.includes(services.authenticator.id));
	return facts(`Plinth ${version}`, [
		['serving', [url, `${url}/openapi.json`]],
		['composed by', [file ?? 'the built-in composition; plinth.config.ts replaces it']],
		['plugins', served],
		['models', models.map(({ id, description }) => (description ? `${id}: ${description}` : id))],
		['data', [file ? 'as configured' : resolve(process.env.PLINTH_DATA_DIR || './.plinth')]],
		['key', keyLines(firstKey, isOpen)],
		['try', [`curl ${url}/v1/models${isOpen ? '' : ` -H "x-api-key: ${firstKey ?? '<key>'}"`}`]],
	]);
}

function keyLines(firstKey: string | null, isOpen: boolean): readonly string[] {
	if (isOpen) return ['none is asked for: authentication is off'];
	if (firstKey) return [firstKey, 'made just now and shown only this once; its hash is stored'];
	if (process.env.PLINTH_API_KEYS) return ['from PLINTH_API_KEYS'];
	return ['as configured, or made at the first start; plinth keys create makes another'];
}
