import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { solidPng } from '../support/png.ts';
import { signIn, takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { chooseTab, finished, newest, openOptions, playground, saved, until, upload } from './support/playground.ts';
import { key } from './support/server.ts';

const site = consoleFixture(() => playground);

const headers = { authorization: `Bearer ${key}` };

/** Colours of a picture on the page, as `[red, green, blue, alpha]`, at shares of its width and height. */
function coloursOf(page: Page, alt: string, at: readonly (readonly [number, number])[]): Promise<readonly number[][]> {
	return page.evaluate(`(() => {
		const picture = document.querySelector('img[alt="${alt}"]');
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
		const pen = canvas.getContext('2d', { willReadFrequently: true });
		pen.drawImage(picture, 0, 0);
		return ${JSON.stringify(at)}.map(([x, y]) =>
			[...pen.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data]);
	})()`);
}

test('leads from the address to a picture in three clicks', async () => {
	const visited = await site.visit();
	const { page, problems, foreign } = visited;
	await page.getByLabel('API key').fill(key);
	await page.getByRole('button', { name: 'Open the console' }).click();
	await page.getByRole('tab', { name: 'Image' }).click();
	await page.getByRole('button', { name: 'Make the picture' }).click();
	const picture = page.getByRole('img', { name: 'Picture 1', exact: true });
	await picture.waitFor();
	await until(page, 'document.querySelector("img[alt=\'Picture 1\']").naturalWidth > 500');
	expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
});

describe('video', () => {
	test('moves its bar within 100 ms of each event, then plays and is saved', async () => {
		const { page, problems } = await site.openTab('Video');
		await page.getByLabel('Size').selectOption('640x480');
		await page.evaluate(`(() => {
			window.moves = [];
			new MutationObserver(() => {
				const value = document.querySelector('progress')?.value;
				if (value > 0) window.moves.push([Math.round(value), Date.now()]);
			}).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['value'] });
		})()`);
		const events = progressEvents();
		await page.getByRole('button', { name: 'Make the video' }).click();
		await page.getByRole('progressbar').waitFor();
		const clip = page.locator('video');
		await clip.waitFor();
		const moves = new Map(await page.evaluate<[number, number][]>('window.moves.reverse()'));
		const late = (await events).map(([percent, at]) => [
			percent,
			(moves.get(percent) ?? Number.POSITIVE_INFINITY) - at,
		]);
		expect(late.length).toBeGreaterThan(0);
		expect(late.filter(([, ms = 0]) => ms > 100)).toEqual([]);
		await until(page, 'document.querySelector("video").currentTime > 0.2');
		expect(await clip.getAttribute('src')).toMatch(/^blob:/);
		const { name, bytes } = await saved(page);
		expect([/^video_\w+\.mp4$/.test(name), bytes.toString('latin1', 4, 8)]).toEqual([true, 'ftyp']);
		expect(problems).toEqual([]);
		await takePictures(page, 'playground-video');
	});

	test('is cancelled, and its job is gone', async () => {
		const { page } = await site.openTab('Video');
		await page.getByLabel('Seconds').selectOption('12');
		const answer = page.waitForResponse((response) => response.request().method() === 'POST');
		await page.getByRole('button', { name: 'Make the video' }).click();
		const { id } = (await (await answer).json()) as { readonly id: string };
		await page.getByRole('progressbar').waitFor();
		const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
		await newest(page).getByRole('button', { name: 'Cancel' }).click();
		expect((await deleted).status()).toBe(200);
		await newest(page).getByText('Stopped').waitFor();
		expect((await fetch(`${site.url}/v1/videos/${id}`, { headers })).status).toBe(404);
	});
});

/** Each distinct progress until a job has ended, with the time of its arrival. */
async function progressEvents(): Promise<readonly (readonly [number, number])[]> {
	const response = await fetch(`${site.url}/v1/events`, { headers });
	const seen = new Map<number, number>();
	let text = '';
	for await (const chunk of response.body ?? []) {
		text += Buffer.from(chunk).toString();
		const frames = text.split('\n\n');
		text = frames.pop() ?? '';
		for (const frame of frames) {
			const [, percent] = /^event: job\.progress[\s\S]*"progress_percent":(\d+)/.exec(frame) ?? [];
			if (percent && !seen.has(Number(percent))) seen.set(Number(percent), Date.now());
			if (frame.startsWith('event: job.completed')) return [...seen];
		}
	}
	return [...seen];
}

describe('pictures', () => {
	test('appear unfinished while they are made, stay while other tabs are looked at, and are saved', async () => {
		const { page } = await site.openTab('Image');
		await page.getByLabel('Size').fill('512x512');
		await page.getByLabel('How many').fill('2');
		const unfinished = page.getByRole('img', { name: 'Unfinished picture 1' }).waitFor();
		await page.getByRole('button', { name: 'Make the picture' }).click();
		await unfinished;
		await chooseTab(page, 'Speech');
		await page.locator('nav a[href="#/models"]').click();
		await page.getByRole('heading', { name: 'builtin-video' }).waitFor();
		await page.locator('nav a[href="#/playground"]').click();
		await chooseTab(page, 'Image');
		await finished(page);
		expect(await page.getByRole('img', { name: /^Picture \d$/ }).count()).toBe(2);
		const { name, bytes } = await saved(page);
		expect([name, bytes.toString('latin1', 1, 4)]).toEqual(['picture-1.png', 'PNG']);
		await takePictures(page, 'playground-image');
	});

	test('come without a stream, and as links, too', async () => {
		const { page, problems } = await site.openTab('Image');
		await page.getByLabel('Show it while it is made').uncheck();
		await openOptions(page);
		await page.getByLabel('Response format').selectOption('url');
		await page.getByLabel('Style').selectOption('vivid');
		await page.getByLabel('Size').fill('64x64');
		await page.getByRole('button', { name: 'Make the picture' }).click();
		await page.getByRole('img', { name: 'Picture 1', exact: true }).waitFor();
		await page.getByRole('list', { name: 'Warnings' }).getByText('has no styles').waitFor();
		expect(problems).toEqual([]);
	});

	test('change where the mask that was drawn lets them', async () => {
		const { page, problems } = await site.openTab('Edit');
		await page
			.locator('input[type=file]')
			.first()
			.setInputFiles(upload('red.png', 'image/png', solidPng(256, 256, [200, 30, 30])));
		const canvas = page.locator('canvas');
		await until(page, 'document.querySelector("canvas")?.width === 256');
		const { x, y, width, height } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
		await page.getByLabel('Brush size').fill('30');
		await page.mouse.move(x + width * 0.1, y + height * 0.2);
		await page.mouse.down();
		await page.mouse.move(x + width * 0.9, y + height * 0.2, { steps: 4 });
		await page.mouse.up();
		await page.getByText(/^Marked: [2-3]\d % of the picture$/).waitFor();
		await page.getByText('Mark a rectangle by numbers').click();
		for (const [label, value] of Object.entries({ 'From left': '128', 'From top': '160', Width: '128' })) {
			await page.getByLabel(label, { exact: true }).fill(value);
		}
		await page.getByRole('button', { name: 'Mark it', exact: true }).click();
		await page.getByText(/^Marked: 4\d % of the picture$/).waitFor();
		await takePictures(page, 'playground-mask');
		await chooseTab(page, 'Speech');
		await chooseTab(page, 'Edit');
		await page.getByText(/^Marked: 4\d % of the picture$/).waitFor();
		await page.getByLabel('Prompt').fill('black and white');
		await page.getByRole('button', { name: 'Change the picture' }).click();
		await finished(page);
		const [drawn = [], rectangle = [], kept, below] = await coloursOf(page, 'Picture 1', [
			[0.5, 0.2],
			[0.75, 0.8],
			[0.5, 0.5],
			[0.25, 0.8],
		]);
		for (const [red = 0, green = 1] of [drawn, rectangle]) expect(Math.abs(red - green)).toBeLessThan(3);
		expect([kept, below]).toEqual([
			[200, 30, 30, 255],
			[200, 30, 30, 255],
		]);
		expect(problems).toEqual([]);
	});

	test('lose their marks by the eraser and by Clear', async () => {
		const { page } = await site.openTab('Edit');
		await page
			.locator('input[type=file]')
			.first()
			.setInputFiles(upload('red.png', 'image/png', solidPng(64, 64, [200, 30, 30])));
		await until(page, 'document.querySelector("canvas")?.width === 64');
		await page.getByText('Mark a rectangle by numbers').click();
		await page.getByRole('button', { name: 'Mark it', exact: true }).click();
		await page.getByText('Marked: 100 % of the picture').waitFor();
		await page.getByRole('button', { name: 'Erase' }).click();
		await page.getByLabel('Brush size').fill('30');
		await page.locator('canvas').click();
		await page.getByText(/^Marked: 9\d % of the picture$/).waitFor();
		await page.getByRole('button', { name: 'Clear' }).click();
		await page.getByText('Marked: 0.0 % of the picture').waitFor();
		expect(await page.locator('.playground-snippets pre').innerText()).not.toContain('mask');
	});
});

describe('chat', () => {
	test('answers about a file, then about a second one, with the conversation in mind', async () => {
		const { page, problems } = await site.openTab('Chat');
		await page.getByRole('button', { name: 'Send' }).click();
		await page.locator('.playground-said:not(.user)').getByText('204.00 EUR').waitFor();
		await page
			.locator('input[type=file]')
			.setInputFiles(upload('note.txt', 'text/plain', 'The boat to the island is called Swift.'));
		await page.getByLabel('Message').fill('What is the boat called?');
		const sent = page.waitForRequest((request) => request.method() === 'POST');
		await page.getByLabel('Message').press('Enter');
		await page.getByText('is called Swift').last().waitFor();
		const { messages } = (await sent).postDataJSON() as { readonly messages: readonly { readonly role: string }[] };
		expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
		await until(page, 'document.querySelectorAll(".playground-said[aria-busy=true]").length === 0');
		await takePictures(page, 'playground-chat');
		expect(problems).toEqual([]);
	});

	test('shows an answer as it comes, and stops', async () => {
		const { page } = await site.openTab('Chat');
		await page.getByLabel('Model').selectOption('paced-1');
		await page.getByLabel('Message').fill(Array.from({ length: 400 }, (_, at) => `word${at}`).join(' '));
		await page.getByRole('button', { name: 'Send' }).click();
		const said = page.locator('.playground-said:not(.user)');
		await said.getByText('word5').waitFor();
		await page.getByRole('button', { name: 'Stop' }).click();
		await said.getByText('Stopped.').waitFor();
		const text = await said.innerText();
		expect(text).not.toContain('word399');
		await page.getByRole('button', { name: 'New conversation' }).click();
		await page.getByText('No messages yet').waitFor();
	});
});

test('signing out forgets the results', async () => {
	const visited = await site.openTab('Image');
	const { page } = visited;
	await page.getByLabel('Size').fill('64x64');
	await page.getByRole('button', { name: 'Make the picture' }).click();
	await finished(page);
	await page.getByRole('button', { name: 'Forget the key' }).click();
	await signIn(visited);
	await chooseTab(page, 'Image');
	await page.getByText('Nothing made yet').waitFor();
});
