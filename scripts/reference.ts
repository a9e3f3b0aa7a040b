import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configPage } from './reference/config-page.ts';
import { configSchema } from './reference/config-schema.ts';
import { errorsPage } from './reference/errors-page.ts';
import { limitsPage } from './reference/limits/page.ts';
import { troubleshootingPage } from './reference/troubleshooting/page.ts';

/** The generated pages, by their paths from the root of the repository. */
export const generatedPages: Readonly<Record<string, () => Promise<string>>> = {
	'cli/schema.json': configSchema,
	'docs/reference/config.md': configPage,
	'docs/reference/errors.md': errorsPage,
	'docs/limits.md': limitsPage,
	'docs/troubleshooting.md': troubleshootingPage,
};

if (import.meta.main) {
	const root = resolve(import.meta.dirname, '..');
	mkdirSync(join(root, 'docs/reference'), { recursive: true });
	for (const [file, write] of Object.entries(generatedPages)) {
		writeFileSync(join(root, file), `${await write()}\n`);
	}
}
