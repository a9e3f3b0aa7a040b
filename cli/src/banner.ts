import { resolve } from 'node:path';
import { type App, services, version } from '@plinth/core';

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
	const needs = plugins.map(({ owner, needs: list }) => {
		const from = list.map(({ service, provider }) => `${service} from ${provider ?? 'nobody'}`);
		return `${owner.slice(7)}${from.length > 0 ? `: ${from.join(', ')}` : ''}`;
	});
	const isOpen = !parts.some(({ provides }) => provides.includes(services.authenticator.id));
	const rows: [string, readonly string[]][] = [
		['serving', [url, `${url}/openapi.json`]],
		['composed by', [file ?? 'the built-in composition; plinth.config.ts replaces it']],
		['plugins', needs],
		['models', models.map(({ id, description }) => (description ? `${id}: ${description}` : id))],
		['data', [file ? 'as configured' : resolve(process.env.PLINTH_DATA_DIR || './.plinth')]],
		['key', keyLines(firstKey, isOpen)],
		['try', [`curl ${url}/v1/models${isOpen ? '' : ` -H "x-api-key: ${firstKey ?? '<key>'}"`}`]],
	];
	const body = rows.flatMap(([label, lines]) =>
		lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(12)} ${line}`),
	);
	return `\nPlinth ${version}\n\n${body.join('\n')}\n\n`;
}

function keyLines(firstKey: string | null, isOpen: boolean): readonly string[] {
	if (isOpen) return ['none is asked for: authentication is off'];
	if (firstKey) return [firstKey, 'made just now and shown only this once; its hash is stored'];
	if (process.env.PLINTH_API_KEYS) return ['from PLINTH_API_KEYS'];
	return ['as configured, or made at the first start; PLINTH_API_KEYS=<key> sets one of your own'];
}
