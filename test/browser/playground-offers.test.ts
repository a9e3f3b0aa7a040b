import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { signIn } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { chooseTab, finished, newest, openOptions, playground, until } from './support/playground.ts';
import { startProxy } from './support/proxy.ts';
import { type ConsoleServer, key, startServer } from './support/server.ts';

const site = consoleFixture(() => playground);

async function startWith(config: string): Promise<ConsoleServer> {
	const cwd = await temporaryDir('browser-offers');
	onTestFinished(() => removeDir(cwd));
	await writeFile(join(cwd, 'plinth.config.yaml'), config);
	const started = await startServer({ cwd });
	onTestFinished(() => started.stop());
	return started;
}

test('what a server lacks has no tab, and without a feed a video is asked for', async () => {
	const small = await startWith(`extends: plinth:embedded
models: { builtin-chat: false }
plugins: { events: false, parse: false }
`);
	const { page } = await site.openTab('Video', small.url);
	const tabs = page.getByRole('tablist', { name: 'Capabilities' }).getByRole('tab');
	expect(await tabs.allInnerTexts()).toEqual(['Video', 'Image', 'Edit', 'Speech']);
	await page.getByLabel('Size').selectOption('640x480');
	await page.getByLabel('Seconds').selectOption('2');
	await page.getByRole('button', { name: 'Make the video' }).click();
	await finished(page);
	await page.locator('video').waitFor();
});

test('a server without any of them says so', async () => {
	const bare = await startWith(`extends: plinth:embedded
models: { builtin-video: false, builtin-image: false, builtin-speech: false, builtin-chat: false }
plugins: { parse: false }
`);
	const visited = await site.visit(bare.url);
	await signIn(visited);
	await visited.page.getByText('Nothing to try').waitFor();
	expect(visited.problems).toEqual([]);
});

test('a video shows its unfinished pictures, and says that its job failed or was deleted', async () => {
	const { page, problems } = await site.openTab('Video');
	await page.getByLabel('Model').selectOption('unfinished-1');
	const created = page.waitForResponse((response) => response.request().method() === 'POST');
	await page.getByRole('button', { name: 'Make the video' }).click();
	await page.getByRole('img', { name: 'Unfinished state of the video' }).waitFor();
	await until(page, 'document.querySelector("progress").value === 40');
	const { id } = (await (await created).json()) as { readonly id: string };
	const headers = { authorization: `Bearer ${key}` };
	await fetch(`${site.url}/v1/videos/${id}`, { method: 'DELETE', headers });
	await newest(page).getByRole('alert').getByText('The job was deleted.').waitFor();
	await page.getByLabel('Prompt').fill('fail');
	await page.getByRole('button', { name: 'Make the video' }).click();
	await newest(page).getByRole('alert').getByText('The model has <b>no</b> memory left.').waitFor();
	expect(problems).toEqual([]);
});

test('behind a prefix, pictures come as links, and snippets name the prefix', async () => {
	const proxy = await startProxy(site.url, '/v1/media');
	onTestFinished(() => proxy.stop());
	const { page, problems, foreign } = await site.openTab('Image', `${proxy.url}/`);
	await page.getByLabel('Size').fill('64x64');
	await openOptions(page);
	await page.getByLabel('Response format').selectOption('url');
	await page.getByRole('button', { name: 'Make the picture' }).click();
	await finished(page);
	expect(await page.locator('.playground-snippets pre').innerText()).toContain(`${proxy.url}/v1/images/generations`);
	expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
});

test('warnings in the head of an answer are shown as text', async () => {
	const { page, dialogs, problems } = await site.openTab('Speech');
	// The response of the server, with the header that it sends for unknown members of the body.
	await page.route('**/v1/audio/speech', async (route) => {
		const response = await route.fetch();
		const warnings = JSON.stringify(['pitch: unknown, and <img src=x onerror=alert(1)>']);
		await route.fulfill({ response, headers: { ...response.headers(), 'x-plinth-warnings': warnings } });
	});
	await page.getByRole('button', { name: 'Speak' }).click();
	await page.getByRole('list', { name: 'Warnings' }).getByText('<img src=x onerror=alert(1)>').waitFor();
	expect({ dialogs, problems }).toEqual({ dialogs: [], problems: [] });
});

test('a sound plays when it is there, and not again when its tab is opened again', async () => {
	const { page } = await site.openTab('Speech');
	await page.getByRole('button', { name: 'Speak' }).click();
	await until(page, 'document.querySelector("audio")?.currentTime > 0');
	await chooseTab(page, 'Image');
	await chooseTab(page, 'Speech');
	await until(page, 'document.querySelector("audio").readyState >= 1');
	expect(await page.evaluate('document.querySelector("audio").paused')).toBe(true);
});

test('files are dropped into a field, and one that misses it does not open in place of the page', async () => {
	const { page } = await site.openTab('Chat');
	const drop = (target: string) =>
		page.evaluate<boolean>(`(() => {
			const dataTransfer = new DataTransfer();
			dataTransfer.items.add(new File(['The boat is called Swift.'], 'note.txt', { type: 'text/plain' }));
			const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer });
			return !document.querySelector('${target}').dispatchEvent(event);
		})()`);
	expect(await drop('.drop')).toBe(true);
	await page.getByRole('button', { name: 'Remove note.txt' }).waitFor();
	expect(await drop('h1')).toBe(true);
	expect(await page.getByRole('button', { name: 'Remove note.txt' }).count()).toBe(1);
	await page.getByRole('button', { name: 'Remove bill.txt' }).click();
	await page.getByLabel('Message').fill('What is the boat called?');
	await page.getByRole('button', { name: 'Send' }).click();
	await page.locator('.playground-said:not(.user)').getByText('Swift').waitFor();
});

test('a result is removed', async () => {
	const { page } = await site.openTab('Image');
	await page.getByLabel('Size').fill('64x64');
	await page.getByRole('button', { name: 'Make the picture' }).click();
	await finished(page);
	await newest(page).getByRole('button', { name: 'Remove this result' }).click();
	await page.getByText('Nothing made yet').waitFor();
});
