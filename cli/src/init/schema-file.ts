import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The JSON Schema of configs; `npm run reference` writes it. */
export const schemaFile = join(import.meta.dirname, '../../schema.json');

/** The path of the schema for a config in `folder`, when this package is installed there; otherwise undefined. */
export function installedSchema(folder: string): string | undefined {
	const path = './node_modules/plinth/schema.json';
	return existsSync(join(folder, path)) ? path : undefined;
}
