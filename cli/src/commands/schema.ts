import { readFile } from 'node:fs/promises';
import { schemaFile } from '../init/schema-file.ts';

/** Prints the JSON Schema of YAML and JSON configs. */
export async function schema(): Promise<void> {
	process.stdout.write(await readFile(schemaFile, 'utf8'));
}
