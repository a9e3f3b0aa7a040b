import { definePlugin } from '@plinth/core';
import { consoleOptions } from './options.ts';
import { readPage } from './page.ts';
import { pageRoutes } from './routes.ts';

/**
 * A web page at `/`. It asks for an API key and uses only the public API, so it can do what the key allows. Rename it
 * when importing, because its name hides JavaScript's `console`: `import { console as consolePage }`.
 */
export const console = definePlugin({
	id: 'console',
	config: consoleOptions,
	async setup({ config: { page }, route }) {
		if (page === 'on') route(...pageRoutes(await readPage()));
	},
});
