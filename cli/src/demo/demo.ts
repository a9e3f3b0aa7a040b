import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { keyRing } from '@plinth/keys';
import { compose } from '../compose.ts';
import { quietLogger } from '../quiet.ts';
import { type DemoClient, demoClient } from './client.ts';
import { steps } from './steps.ts';

/**
 * Runs every composed capability once on a server on a free port, and writes the results to
 * `PLINTH_DEMO_DIR`. The built-in composition stores its data in a temporary directory; a custom config
 * uses its own stores, from which the demo removes its key and its jobs. Stops the server afterwards.
 */
export async function demo(flags: { readonly config?: string }): Promise<void> {
	const outDir = resolve(process.env.PLINTH_DEMO_DIR || './demo-output');
	const dataDir = await mkdtemp(join(tmpdir(), 'plinth-demo-'));
	try {
		await mkdir(outDir, { recursive: true });
		await runSteps(flags, { ...process.env, PLINTH_DATA_DIR: dataDir }, outDir);
	} finally {
		await rm(dataDir, { recursive: true, force: true });
	}
}

async function runSteps(flags: { readonly config?: string }, env: NodeJS.ProcessEnv, outDir: string): Promise<void> {
	const { app } = await compose(flags, { env, log: quietLogger });
	try {
		const ring = app.service(keyRing);
		const { key } = await ring.issue({ tenant: 'demo', scopes: ['*'] });
		const { url } = await app.listen({ host: '127.0.0.1', port: 0 });
		process.stdout.write(`Plinth runs at ${url} for this demo\n\n`);
		try {
			await runAll(demoClient(url, key), outDir);
		} finally {
			await ring.revoke(key);
		}
	} finally {
		await app.stop();
	}
}

async function runAll(client: DemoClient, outDir: string): Promise<void> {
	const { data: models } = await client.json<{ data: { id: string; kind: string }[] }>('/v1/models');
	const { paths } = await client.json<{ paths: object }>('/openapi.json');
	const routes = new Set(Object.keys(paths));
	const files = new Map<string, Uint8Array>();
	const lines: string[] = [];
	for (const step of steps) {
		const { kind, route } = step.needs;
		const model = kind ? models.find((each) => each.kind === kind)?.id : '';
		if (model === undefined || (route && !routes.has(route))) continue;
		const { bytes, about } = await step.run(client, model, { files, routes });
		const file = join(outDir, step.file);
		await writeFile(file, bytes);
		files.set(step.file, bytes);
		lines.push(`  ${displayPath(file).padEnd(28)} ${size(bytes.length).padStart(9)}  ${about}`);
	}
	process.stdout.write(
		`\nMade:\n${lines.join('\n')}\n\nNext: npm start serves the same API; README.md shows how to call it.\n`,
	);
}

/** Relative when the file is below the working directory. */
function displayPath(file: string): string {
	const path = relative('.', file);
	return path.startsWith('..') ? file : path;
}

function size(bytes: number): string {
	return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
