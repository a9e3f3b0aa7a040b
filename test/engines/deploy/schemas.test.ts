import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../support/cli.ts';
import { deployFolder, type Manifest, manifests } from '../../support/deploy-files.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';

const run = promisify(execFile);
const load = createRequire(import.meta.url);

type Model = new (manifest: object) => { validate(): void };

let folder: string;

beforeAll(async () => {
	folder = await temporaryDir('schemas');
	await cp(join(deployFolder, 'systemd'), folder, { recursive: true });
});

afterAll(() => removeDir(folder));

/** The violations of the Kubernetes schemas: invalid values by the library, unknown names by its types. */
async function complaintsAbout(all: readonly Manifest[]): Promise<string> {
	const lines = all.map((manifest, index) => {
		const { apiVersion, kind } = manifest;
		const place = load.resolve(`kubernetes-models/${apiVersion}/${kind}`);
		const { [kind]: Model } = load(place) as Readonly<Record<string, Model>>;
		if (!Model) throw new Error(`Kubernetes has no ${kind} of ${apiVersion}.`);
		new Model(manifest).validate();
		const text = `export const manifest${index}: Type${index} = ${JSON.stringify(manifest)};`;
		return `import type { I${kind} as Type${index} } from '${place}';\n${text}`;
	});
	const file = join(folder, 'manifests.ts');
	await writeFile(file, lines.join('\n'));
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
	return run(process.execPath, [tsc, ...flags, file]).then(
		() => '',
		(error: { readonly stdout: string }) => error.stdout,
	);
}

test('every manifest conforms to the Kubernetes schema', async () => {
	const all = manifests().map(([, manifest]) => manifest);
	expect(all).toHaveLength(7);
	expect(await complaintsAbout(all)).toBe('');
	const misspelt = { ...all.find(({ kind }) => kind === 'Service'), specs: {} } as unknown as Manifest;
	expect(await complaintsAbout([misspelt])).toContain(`'"specs"' does not exist`);
});

test('systemd accepts the units, and their sandbox has a low exposure score', async () => {
	const names = ['plinth-api@8081.service', 'plinth-worker@1.service', 'plinth-migrate.service'];
	// Next to the system units that they depend on.
	const env = { PATH: process.env.PATH ?? '', SYSTEMD_UNIT_PATH: `${folder}:`, LC_ALL: 'C.UTF-8' };
	const verified = await run('systemd-analyze', ['verify', ...names], { env });
	// systemd checks whether the programs exist.
	const complaints = `${verified.stdout}${verified.stderr}`
		.split('\n')
		.filter((line) => !line.includes('/usr/bin/node'));
	expect(complaints.join('\n').trim()).toBe('');
	const { stdout } = await run('systemd-analyze', ['security', '--offline=true', ...names], { env });
	const levels = [...stdout.matchAll(/exposure level for \S+: (\S+)/g)].map(([, level]) => Number(level));
	expect(levels).toHaveLength(3);
	expect(Math.max(...levels)).toBeLessThan(2);
});
