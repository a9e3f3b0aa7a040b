import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';

// The address of the Plinth that the development server passes API requests to.
const target = process.env.PLINTH_URL ?? 'http://127.0.0.1:8080';

const settings: UserConfig = {
	root: import.meta.dirname,
	// Relative addresses: the page works below any prefix.
	base: './',
	publicDir: false,
	// No `.env` file is read.
	envDir: false,
	cacheDir: join(import.meta.dirname, '../node_modules/.vite'),
	oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
	server: { proxy: { '/v1': target, '/api': target, '/openapi.json': target } },
	build: {
		outDir: '../static',
		emptyOutDir: true,
		assetsDir: 'console',
		assetsInlineLimit: 0,
		modulePreload: false,
		cssCodeSplit: false,
		// The first browsers with `light-dark()` in CSS.
		target: ['es2023', 'chrome123', 'firefox128', 'safari17.5'],
		license: { fileName: 'licenses.md' },
		reportCompressedSize: true,
	},
};

export default defineConfig(({ command }) => {
	// The build must not depend on the developer's environment.
	if (command === 'build') process.env.NODE_ENV = 'production';
	return settings;
});
