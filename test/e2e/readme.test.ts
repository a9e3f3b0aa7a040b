import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Child, root, startNode } from '../support/cli.ts';
import { rawClient } from '../support/client.ts';
import { plinthHere } from '../support/command.ts';
import { fakeVideo, tinyMp4 } from '../support/fake-models.ts';
import { pngSize } from '../support/png.ts';
import { fencedCode, writeProject } from '../support/readme.ts';
import { keyA, removeDir, serveEmbedded, temporaryDir } from '../support/serve.ts';

const children: Child[] = [];
let dir: string;

beforeEach(async () => {
	dir = await temporaryDir('readme');
});

afterEach(async () => {
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(dir);
});

/** The one code block of a page that matches, with replacements. Each replacement must match. */
async function snippet(page: string, pattern: RegExp, changes: readonly [string, string][] = []): Promise<string> {
	const blocks = await fencedCode(join(root, page), pattern);
	expect(blocks).toHaveLength(1);
	return changes.reduce((code, [from, to]) => {
		expect(code).toContain(from);
		return code.replace(from, to);
	}, blocks[0] ?? '');
}

function run(file: string, env: Record<string, string> = {}): Child {
	const child = startNode([file], { cwd: dir, env: { PLINTH_LOG_LEVEL: 'silent', ...env } });
	children.push(child);
	return child;
}

describe('the guide to running Plinth', () => {
	const page = 'docs/guides/run.md';

	test('shows a client that downloads a video', async () => {
		const served = await serveEmbedded({ models: { 'builtin-video': fakeVideo() } });
		const code = await snippet(page, /downloadContent/, [
			['http://127.0.0.1:8080', served.url],
			['5000', '5'],
		]);
		const file = await writeProject(dir, 'client.ts', code);
		const { code: exit, stderr } = await run(file, { KEY: keyA }).exit;
		await served.stop();
		expect([exit, stderr]).toEqual([0, '']);
		expect(await readFile(join(dir, 'video.mp4'))).toHaveLength(tinyMp4.length);
	});

	test('shows a client that generates and edits an image', async () => {
		const served = await serveEmbedded();
		const code = await snippet(page, /images\.edit/, [['http://127.0.0.1:8080', served.url]]);
		const file = await writeProject(dir, 'client.ts', code);
		const { code: exit, stderr } = await run(file, { KEY: keyA }).exit;
		await served.stop();
		expect([exit, stderr]).toEqual([0, '']);
		const made = ['image.png', 'edited.png'].map(async (name) => readFile(join(dir, name)));
		expect((await Promise.all(made)).map(pngSize)).toEqual(Array(2).fill({ width: 1024, height: 1024 }));
	});

	test('shows a client that reads a document', async () => {
		const served = await serveEmbedded();
		const code = await snippet(page, /attachments\/parse'/, [['http://127.0.0.1:8080', served.url]]);
		const file = await writeProject(dir, 'client.ts', code);
		await writeFile(join(dir, 'report.pdf'), 'all that it says');
		const { code: exit, stdout, stderr } = await run(file, { KEY: keyA }).exit;
		await served.stop();
		expect([exit, stderr]).toEqual([0, '']);
		expect(stdout).toBe('report.pdf, page 1:\nall that it says\n\n');
	});

	test('shows a client that generates speech', async () => {
		const served = await serveEmbedded();
		const code = await snippet(page, /speech\.create/, [['http://127.0.0.1:8080', served.url]]);
		const { code: exit, stderr } = await run(await writeProject(dir, 'client.ts', code), { KEY: keyA }).exit;
		await served.stop();
		expect([exit, stderr]).toEqual([0, '']);
		expect((await readFile(join(dir, 'speech.mp3'))).length).toBeGreaterThan(1_000);
	});

	test('shows a client that asks about a file', async () => {
		const served = await serveEmbedded();
		const code = await snippet(page, /chat\.completions\.create/, [['http://127.0.0.1:8080', served.url]]);
		const child = run(await writeProject(dir, 'client.ts', code), { KEY: keyA });
		const { code: exit, stdout, stderr } = await child.exit;
		await served.stop();
		expect([exit, stderr]).toEqual([0, '']);
		expect(stdout).toContain('The bridge was opened in 1932.');
	});

	test.each(['yaml', 'ts'])('shows a valid config: %s', async (language) => {
		const code = await snippet(page, language === 'yaml' ? /^ {2}painter:$/m : /defineConfig\(/);
		await writeProject(dir, `plinth.config.${language}`, code);
		const { code: exit, stdout, stderr } = await plinthHere(['check'], { cwd: dir });
		expect([exit, stderr]).toEqual([0, '']);
		expect(stdout).toContain('painter');
	});
});

describe('the README', () => {
	const page = 'README.md';

	test('shows a server that starts', async () => {
		const file = await writeProject(dir, 'server.ts', await snippet(page, /process\.once\('SIGTERM'/));
		const child = run(file, { PORT: '0' });
		const [, url = ''] = await child.printed(/curl (http:\S+)\/v1\/models/);
		expect((await rawClient(url, 'a-long-key-of-my-own').send('/v1/models')).status).toBe(200);
	});

	test('shows how an existing server mounts it', async () => {
		const code = await snippet(page, /app\.callback\(\);/, [
			['.listen(3000)', '.listen(0, function () { console.log(`port ${this.address().port}`); })'],
		]);
		const child = run(await writeProject(dir, 'host.mjs', code));
		const [, port] = await child.printed(/port (\d+)/);
		const texts = ['/', '/healthz'].map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text());
		expect(await Promise.all(texts)).toEqual(['my own page', '{"status":"ok"}']);
	});

	test('shows a valid config', async () => {
		const file = await writeProject(dir, 'plinth.config.yaml', await snippet(page, /^extends:/m));
		const env = { MEDIA_DIR: join(dir, 'media') };
		const { code, stdout, stderr } = await plinthHere(['check'], { cwd: dir, env });
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toContain(`${file} is fine`);
		expect(stdout).toMatch(/data +.*\/media\n/);
	});
});
