import { globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type RunningServer, run, serve } from './support/programs.ts';
import { runtimes } from './support/runtimes.ts';
import { exported, root } from './support/workspace.ts';

const { app, runtimes: installed } = inject('prepared');
/** The results by check and by version of Node. */
const results: Record<string, Record<string, string>> = {};

afterAll(() => console.table(results));

describe.each(runtimes(installed))('packed packages on Node $name', ({ name, bin }) => {
	const cwd = join(app, `on-${name}`);
	const env = { PLINTH_API_KEYS: 'key-of-the-packages' };
	const headers = { 'x-api-key': 'key-of-the-packages', 'content-type': 'application/json' };
	let server: RunningServer;

	/** A test whose result is printed in the table. */
	const check = (sentence: string, work: () => Promise<void>) =>
		test(sentence, async () => {
			const row = results[sentence] ?? {};
			results[sentence] = row;
			row[name] = 'failed';
			await work();
			row[name] = 'passed';
		});

	const post = (path: string, body: object) =>
		fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

	beforeAll(async () => {
		await mkdir(cwd);
		for (const file of ['minimal.js', 'common-js-host.cjs', 'load.cjs']) {
			await copyFile(join(import.meta.dirname, 'apps', file), join(cwd, file));
		}
		server = await serve({ cwd, bin, env });
	});

	afterAll(async () => {
		await server?.stop();
	});

	check('runs the expected version', async () => {
		expect(await run(['node', '--version'], { cwd, bin })).toMatchObject({ stdout: `v${name}\n` });
	});

	check('every export can be imported and required', async () => {
		const ended = await run(['node', 'load.cjs', ...exported], { cwd, bin });
		expect(ended).toMatchObject({ code: 0, stdout: `${exported.length}\n` });
	});

	check('npx plinth check', async () => {
		const dir = { PLINTH_DATA_DIR: join(cwd, 'checked') };
		const { code, stdout, stderr } = await run(['npx', '--no', 'plinth', 'check'], {
			cwd,
			bin,
			env: { ...env, ...dir },
		});
		expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/ is fine\n/), stderr]);
	});

	check('plinth check in a folder without packages', async () => {
		const elsewhere = await mkdtemp(join(tmpdir(), 'plinth-elsewhere-'));
		onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
		await writeFile(join(elsewhere, 'plinth.config.yaml'), 'extends: plinth:embedded\n');
		const typescript = [
			"import { builtin } from '@plinth/builtin';",
			'export default { models: { a: builtin.chat() } };',
		];
		await writeFile(join(elsewhere, 'other.config.ts'), typescript.join('\n'));
		const fine = await run(['plinth', 'check'], { cwd: elsewhere, bin, env });
		expect(fine).toMatchObject({ code: 0, stdout: expect.stringContaining('plinth.config.yaml is fine') });
		const { stderr } = await run(['plinth', 'check', '-c', 'other.config.ts'], { cwd: elsewhere, bin, env });
		// Its packages were found: the error is about the composition.
		expect(stderr).toMatch(/model a: is a chat model, and no plugin consumes that kind/);
	});

	check('/readyz and /v1/models', async () => {
		expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
		const { data } = await list(await fetch(`${server.url}/v1/models`, { headers }));
		const ids = data.map(({ id }) => id);
		expect(ids).toEqual(expect.arrayContaining(['builtin-video', 'builtin-chat']));
	});

	check('the console, with the files of the workspace', async () => {
		const page = join(root, 'plugins/console/static');
		for (const file of globSync('**/*.{html,js,css,svg}', { cwd: page })) {
			const response = await fetch(`${server.url}/${file === 'index.html' ? '' : file}`);
			expect([file, await response.text()]).toEqual([file, await readFile(join(page, file), 'utf8')]);
		}
	});

	check('/v1/audio/speech as MP3', async () => {
		const asked = { model: 'builtin-speech', voice: 'nova', input: 'Good morning.' };
		const response = await post('/v1/audio/speech', asked);
		expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
		expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
	});

	check('/v1/images/generations', async () => {
		const asked = { model: 'builtin-image', prompt: 'A red boat', size: '256x256' };
		const { data } = await list(await post('/v1/images/generations', asked));
		const picture = Buffer.from(data[0]?.b64_json ?? '', 'base64');
		expect(picture.subarray(1, 4).toString()).toBe('PNG');
	});

	check('/api/attachments/parse in a process of its own', async () => {
		const form = new FormData();
		form.append('files', new File(['<p>Boats are red.</p>'], 'boats.html'));
		const response = await fetch(`${server.url}/api/attachments/parse`, {
			method: 'POST',
			headers: { 'x-api-key': 'key-of-the-packages' },
			body: form,
		});
		expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Boats are red.')]);
	});

	check('SIGTERM drains and ends with 0', async () => {
		expect(await server.stop()).toMatchObject({ code: 0 });
	});

	check('a host with one plugin and its own model', async () => {
		const ended = await run(['node', 'minimal.js'], { cwd, bin });
		expect(ended).toEqual({ code: 0, stdout: '200 48044\n', stderr: '' });
	});

	check('a CommonJS host that requires the kernel', async () => {
		const ended = await run(['node', 'common-js-host.cjs'], { cwd, bin });
		expect(ended).toMatchObject({ code: 0, stdout: '200\n' });
	});
});

async function list(response: Response) {
	return (await response.json()) as { readonly data: readonly Record<string, string>[] };
}
