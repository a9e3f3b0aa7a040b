import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from './support/programs.ts';
import { typescripts } from './support/runtimes.ts';
import { exported, root } from './support/workspace.ts';

const { app, runtimes } = inject('prepared');

test.each(typescripts(runtimes))(
	'the types of each entry compile on their own with TypeScript $name',
	async ({ name, compiler }) => {
		const lines = exported.map((entry, index) => `export type * as entry${index} from '${entry}';`);
		await writeFile(join(app, `entries-${name}.ts`), lines.join('\n'));
		await writeFile(join(app, `tsconfig-${name}.json`), JSON.stringify(configOf(name)));
		const { code, stdout } = await run([process.execPath, compiler, '-p', `tsconfig-${name}.json`], {
			cwd: app,
		});
		expect([code, stdout]).toEqual([0, '']);
	},
);

/** The strictest options. Hosts have their own types; the types of Node are installed by the user. */
function configOf(name: string): object {
	const hosts = { fastify: 'fastify/fastify.d.ts', hono: 'hono/dist/types/index.d.ts' };
	const paths = Object.entries(hosts).map(([host, types]) => [host, [join(root, 'node_modules', types)]]);
	return {
		files: [`entries-${name}.ts`],
		compilerOptions: {
			strict: true,
			exactOptionalPropertyTypes: true,
			skipLibCheck: false,
			module: 'nodenext',
			target: 'es2023',
			noEmit: true,
			paths: Object.fromEntries(paths),
			typeRoots: [join(root, 'node_modules/@types')],
			types: ['node'],
		},
	};
}
