import { globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { services } from '@plinth/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plinth, root } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { bootEmbedded, removeDir, serveEmbedded, temporaryDir } from '../../test/support/serve.ts';
import { commandVariables, compositionVariables } from '../src/doctor/environment.ts';
import type { Finding } from '../src/doctor/finding.ts';

const timeout = 30_000;
const fiveMistakes = join(import.meta.dirname, 'fixtures/five-mistakes/plinth.config.yaml');

let dir: string;
let cwd: string;
let TMPDIR: string;

beforeEach(async () => {
	dir = await temporaryDir('doctor');
	cwd = join(dir, 'work');
	TMPDIR = join(dir, 'temp');
	await Promise.all([mkdir(cwd), mkdir(TMPDIR)]);
});

afterEach(() => removeDir(dir));

/** A separate folder for temporary files, without the compile cache of Node. */
const surroundings = () => ({ TMPDIR, PORT: '0', NODE_DISABLE_COMPILE_CACHE: '1' });

/** Runs the doctor and parses its findings. */
async function examine(env: Record<string, string> = {}, args: readonly string[] = []) {
	const options = { cwd, env: { ...surroundings(), ...env } };
	const { code, stdout, stderr } = await plinthHere(['doctor', '--json', ...args], options);
	const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
	const of = (check: string) => findings.filter((finding) => finding.check === check);
	return { code, stdout, stderr, findings, of };
}

describe('plinth doctor in a new folder', () => {
	test('reports no problem, and creates no file', { timeout }, async () => {
		const { code, stdout, stderr } = await plinth(['doctor'], { cwd, env: surroundings() }).exit;
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toMatch(/^ok {7}runtime {9}Node \d+/);
		expect(stdout).toMatch(/^ok {7}composition .* boots: 10 plugins, 4 models$/m);
		expect(stdout).toMatch(/^ok {7}keys .*the first start creates one/m);
		expect(stdout).toMatch(/\n\n\d+ checks, \d+ warnings?, 0 problems\n$/);
		expect([await readdir(cwd), await readdir(TMPDIR)]).toEqual([[], []]);
	});

	test('reports useless and insecure settings without their values', { timeout }, async () => {
		const { code, of, stdout } = await examine({
			HOST: '0.0.0.0',
			PLINTH_API_KEY: 'canary-of-the-doctor',
			PLINTH_API_KEYS: 'team:second-canary-of-the-doctor',
			PLINTH_SOMETHING_ELSE: 'x',
		});
		expect(code).toBe(0);
		expect(of('variables')).toEqual([
			{
				check: 'variables',
				status: 'warning',
				text: 'PLINTH_API_KEY is not read',
				remedy: 'Did you mean PLINTH_API_KEYS?',
			},
			{
				check: 'variables',
				status: 'warning',
				text: 'PLINTH_SOMETHING_ELSE is not read',
				remedy: 'Unset it.',
			},
		]);
		expect(of('public URL')).toMatchObject([{ status: 'warning', remedy: /./ }].map(() => ({ status: 'warning' })));
		expect(of('keys')).toMatchObject([{ status: 'ok', text: 'from the config, issued 0' }]);
		expect(stdout).not.toContain('canary');
	});

	test('reports that another program uses the port', { timeout }, async () => {
		const server = createServer((socket) => {
			socket.on('error', () => {});
			socket.end('220 hello\r\n', () => socket.destroy());
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const { code, of } = await examine({ PORT: String(port) });
		await new Promise((resolve) => server.close(resolve));
		expect(code).toBe(1);
		expect(of('port')).toMatchObject([{ status: 'problem', text: `${port} on 127.0.0.1 is taken by another program` }]);
	});
});

describe('plinth doctor with a running server', () => {
	test('detects the server, and reports its stores as intact', { timeout }, async () => {
		const served = await serveEmbedded();
		const PORT = new URL(served.url).port;
		const { code, of, stderr } = await examine({ PORT, PLINTH_DATA_DIR: served.dataDir });
		await served.stop();
		expect([code, stderr]).toEqual([0, '']);
		expect(of('port')).toMatchObject([{ text: expect.stringContaining('in use by a running Plinth') }]);
		expect(of('store jobs')).toMatchObject([{ status: 'ok', text: expect.stringContaining('nothing is damaged') }]);
		expect(of('data')).toMatchObject([{ status: 'ok' }]);
	});
});

describe('plinth doctor on a broken deployment', () => {
	test('reports damage inside the database', { timeout }, async () => {
		const dataDir = join(dir, 'data');
		await (await bootEmbedded({ dataDir })).app.stop();
		const file = join(dataDir, 'plinth.db');
		const bytes = await readFile(file);
		// After the pages that every start reads.
		bytes.fill(0xa5, 4_096 * 3, 4_096 * 6);
		await writeFile(file, bytes);
		const { code, of } = await examine({ PLINTH_DATA_DIR: dataDir });
		expect(code).toBe(1);
		expect(of('store jobs')).toMatchObject([
			{
				status: 'problem',
				text: expect.stringContaining(file),
				remedy: expect.stringContaining('backup'),
			},
		]);
	});

	test('reports blobs that belong to another job store', { timeout }, async () => {
		const dataDir = join(dir, 'data');
		const { app } = await bootEmbedded({ dataDir });
		const blobs = app.service(services.blobs);
		await blobs.put('store-identity', Buffer.from('of another server'), { contentType: 'text/plain' });
		await app.stop();
		const { code, of } = await examine({ PLINTH_DATA_DIR: dataDir });
		expect(code).toBe(1);
		expect(of('blob owner')).toMatchObject([
			{
				status: 'problem',
				text: expect.stringContaining('nothing is swept'),
				remedy: expect.stringContaining('store-identity'),
			},
		]);
	});

	test('reports keys that cannot be read, and continues', {
		timeout,
	}, async () => {
		const dataDir = join(dir, 'data');
		await (await bootEmbedded({ dataDir })).app.stop();
		const file = join(dataDir, 'plinth.db');
		const database = new DatabaseSync(file);
		const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'records'").get() as {
			rootpage: number;
		};
		database.close();
		const bytes = await readFile(file);
		bytes.fill(0xa5, 4_096 * (rootpage - 1), 4_096 * rootpage);
		await writeFile(file, bytes);
		const { code, of } = await examine({ PLINTH_DATA_DIR: dataDir });
		expect(code).toBe(1);
		expect(of('keys')).toMatchObject([{ status: 'problem', remedy: expect.stringContaining('backup') }]);
		expect(of('uploads')).toHaveLength(1);
	});

	test('prints the boot report, and continues', { timeout }, async () => {
		const { code, of } = await examine({}, ['--config', fiveMistakes]);
		expect(code).toBe(1);
		expect(of('composition')).toMatchObject([
			{ status: 'problem', text: expect.stringContaining(`5 problems in ${fiveMistakes}`) },
		]);
		expect([...of('runtime'), ...of('uploads')]).toMatchObject([{ status: 'ok' }, {}]);
	});

	test('reports that the data folder is a file', { timeout }, async () => {
		const dataDir = join(dir, 'data');
		await writeFile(dataDir, 'no folder');
		const { code, of } = await examine({ PLINTH_DATA_DIR: dataDir });
		expect(code).toBe(1);
		expect(of('data')).toMatchObject([{ status: 'problem', text: `${dataDir} is a file, not a folder` }]);
	});
});

test('the doctor knows all variables that the sources read', () => {
	const files = globSync('{core/*,cli,plugins/*,adapters/*}/src/**/*.ts', { cwd: root }).filter(
		(file) => !file.endsWith('doctor/environment.ts'),
	);
	const names = files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/\bPLINTH_[A-Z_]+[A-Z]\b/g) ?? []);
	// adapters/command sets these for its programs, and they are not settings.
	const read = new Set(names.filter((name) => name !== 'PLINTH_RUN'));
	expect([...commandVariables, ...compositionVariables].sort()).toEqual([...read].sort());
});
