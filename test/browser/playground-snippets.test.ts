import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../support/cli.ts';
import { solidPng } from '../support/png.ts';
import { removeDir } from '../support/serve.ts';
import { consoleFixture } from './support/fixture.ts';
import { chooseTab, openOptions, playground, until, upload } from './support/playground.ts';
import { key } from './support/server.ts';

const execute = promisify(execFile);

const site = consoleFixture(() => playground);

/** A text that terminates strings in all three languages and that a shell would execute. */
const nasty = `it's "here" \\ $(touch never) \`touch never\` \${HOME} \\n \u202e 😀
JSON
second line '''"""`;

/** The displayed snippet. */
async function snippetOf(page: Page, language: string): Promise<string> {
	await page.getByRole('tab', { name: language }).click();
	const text = await page.locator('.playground-snippets pre').innerText();
	expect(text).not.toContain(key);
	return text;
}

/** A folder of this repository, so that programs in it find the SDK. */
async function folderFor(): Promise<string> {
	await mkdir(join(root, '.vitest'), { recursive: true });
	const folder = await mkdtemp(join(root, '.vitest/snippets-'));
	onTestFinished(() => removeDir(folder));
	return folder;
}

const env = { PATH: process.env.PATH, HOME: process.env.HOME, PLINTH_API_KEY: key };

async function runCurl(folder: string, snippet: string): Promise<string> {
	return (await execute('sh', ['-c', snippet], { cwd: folder, env, maxBuffer: 20_000_000 })).stdout;
}

async function runTypeScript(folder: string, snippet: string): Promise<string> {
	await writeFile(join(folder, 'call.mts'), snippet);
	return (await execute(process.execPath, ['call.mts'], { cwd: folder, env, maxBuffer: 20_000_000 })).stdout;
}

/** Compiles a Python snippet and returns the values of its literals. The Python SDK is not installed here. */
async function literalsOfPython(folder: string, snippet: string): Promise<readonly unknown[]> {
	await writeFile(join(folder, 'call.py'), snippet);
	const program = `import ast, json
tree = ast.parse(open("call.py", encoding="utf-8").read())
values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
print(json.dumps([value for value in values if isinstance(value, str)]))`;
	return JSON.parse((await execute('python3', ['-c', program], { cwd: folder })).stdout);
}

describe('the snippets of a page, run as they are', () => {
	test('video: curl sends the form, and TypeScript saves the clip', async () => {
		const folder = await folderFor();
		const { page } = await site.openTab('Video');
		await page.getByLabel('Prompt').fill(nasty);
		await page.getByLabel('Size').selectOption('640x480');
		await page.getByLabel('Seconds').selectOption('2');
		const made = JSON.parse(await runCurl(folder, await snippetOf(page, 'curl')));
		expect(made).toMatchObject({ prompt: nasty, size: '640x480', seconds: '2', status: 'queued' });
		expect(await literalsOfPython(folder, await snippetOf(page, 'Python'))).toContain(nasty);
		await page.getByLabel('Prompt').fill('a forest');
		await runTypeScript(folder, await snippetOf(page, 'TypeScript'));
		expect((await readFile(join(folder, 'video.mp4'))).toString('latin1', 4, 8)).toBe('ftyp');
	});

	test('chat: all say what was written, and read the attached files', async () => {
		const folder = await folderFor();
		await writeFile(join(folder, "it's $HOME.txt"), 'The boat is called Swift.');
		const { page } = await site.openTab('Chat');
		await page.getByRole('button', { name: 'Remove bill.txt' }).click();
		await page.getByLabel('Model').selectOption('echo-1');
		await page.getByLabel('Message').fill(nasty);
		expect(await runTypeScript(folder, await snippetOf(page, 'TypeScript'))).toBe(nasty);
		const streamed = await runCurl(folder, await snippetOf(page, 'curl'));
		const pieces = [...streamed.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
		expect(pieces.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe(nasty);
		await page.getByLabel('Model').selectOption('builtin-chat');
		await page.getByLabel('Message').fill('What is the boat called?');
		await page.locator('input[type=file]').setInputFiles(join(folder, "it's $HOME.txt"));
		await page.getByRole('button', { name: /^Remove it's/ }).waitFor();
		expect(await runTypeScript(folder, await snippetOf(page, 'TypeScript'))).toContain('Swift');
		expect((await runCurl(folder, await snippetOf(page, 'curl'))).replaceAll(/[^\w]/g, '')).toContain('Swift');
		expect(await literalsOfPython(folder, await snippetOf(page, 'Python'))).toContain("it's $HOME.txt");
	});

	test('pictures and edits: TypeScript saves them', async () => {
		const folder = await folderFor();
		const { page } = await site.openTab('Image');
		await page.getByLabel('Size').fill('64x64');
		await openOptions(page);
		await page.getByLabel('Seed').fill('7');
		await page.getByLabel('Output format').selectOption('webp');
		await runTypeScript(folder, await snippetOf(page, 'TypeScript'));
		expect((await readFile(join(folder, 'picture-1.webp'))).toString('latin1', 8, 12)).toBe('WEBP');
		expect(await runCurl(folder, await snippetOf(page, 'curl'))).toContain('event: image_generation.completed');
		await chooseTab(page, 'Edit');
		const source = solidPng(64, 64, [200, 30, 30]);
		await writeFile(join(folder, 'red "1".png'), source);
		await page
			.locator('input[type=file]')
			.first()
			.setInputFiles(upload('red "1".png', 'image/png', source));
		await until(page, 'document.querySelector("canvas")?.width === 64');
		await page.getByLabel('Show it while it is made').uncheck();
		await runTypeScript(folder, await snippetOf(page, 'TypeScript'));
		expect((await readFile(join(folder, 'picture-1.png'))).toString('latin1', 1, 4)).toBe('PNG');
		const answer = JSON.parse(await runCurl(folder, await snippetOf(page, 'curl')));
		expect(answer.data).toHaveLength(1);
	});

	test('sound and documents', async () => {
		const folder = await folderFor();
		const { page } = await site.openTab('Speech');
		await page.getByLabel('Response format').selectOption('wav');
		await runTypeScript(folder, await snippetOf(page, 'TypeScript'));
		const sound = await readFile(join(folder, 'speech.wav'));
		expect(sound.toString('latin1', 0, 4)).toBe('RIFF');
		await runCurl(folder, await snippetOf(page, 'curl'));
		expect(await readFile(join(folder, 'speech.wav'))).toEqual(sound);
		await chooseTab(page, 'Transcription');
		await page.locator('input[type=file]').setInputFiles(upload('speech.wav', 'audio/wav', sound));
		expect(await runTypeScript(folder, await snippetOf(page, 'TypeScript'))).toContain('Good morning.');
		expect(JSON.parse(await runCurl(folder, await snippetOf(page, 'curl'))).text).toBe('Good morning.');
		await chooseTab(page, 'Documents');
		await writeFile(join(folder, 'a.txt'), 'The first one.');
		await writeFile(join(folder, 'b.txt'), 'The second one.');
		await page.locator('input[type=file]').setInputFiles([join(folder, 'a.txt'), join(folder, 'b.txt')]);
		for (const run of [
			runCurl(folder, await snippetOf(page, 'curl')),
			runTypeScript(folder, await snippetOf(page, 'TypeScript')),
		]) {
			const { results } = JSON.parse(await run);
			expect(
				results.map(({ content }: { readonly content: { readonly text: string } }) => content.text.trim()),
			).toEqual(['The first one.', 'The second one.']);
		}
		expect(await literalsOfPython(folder, await snippetOf(page, 'Python'))).toContain('b.txt');
	});
});

test('a snippet is copied by its button', async () => {
	const { page, context } = await site.openTab('Video');
	await context.grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.getByRole('button', { name: 'Copy' }).click();
	await page.getByText('Copied.').waitFor();
	const copied = await page.evaluate<string>('navigator.clipboard.readText()');
	expect(copied).toBe(await page.locator('.playground-snippets pre').innerText());
	expect(copied).toContain('$PLINTH_API_KEY');
});
