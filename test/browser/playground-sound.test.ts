import { describe, expect, test } from 'vitest';
import { takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { finished, newest, openOptions, playground, saved, until, upload } from './support/playground.ts';
import { key } from './support/server.ts';

const site = consoleFixture(() => playground);

const headers = { authorization: `Bearer ${key}` };

describe('sound', () => {
	test('is heard and saved', async () => {
		const { page, problems } = await site.openTab('Speech');
		await page.getByLabel('Voice').selectOption('nova');
		await page.getByRole('button', { name: 'Speak' }).click();
		await until(page, 'document.querySelector("audio")?.currentTime > 0.2');
		expect((await saved(page)).name).toBe('speech.mp3');
		await takePictures(page, 'playground-speech');
		expect(problems).toEqual([]);
	});

	test('is written down, with its segments', async () => {
		const body = JSON.stringify({
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Good morning.',
			response_format: 'wav',
		});
		const spoken = await fetch(`${site.url}/v1/audio/speech`, {
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json' },
			body,
		});
		const { page, problems } = await site.openTab('Transcription');
		await page.locator('input[type=file]').setInputFiles(upload('said.wav', 'audio/wav', await spoken.bytes()));
		await page.getByRole('button', { name: 'Write it down' }).click();
		await page.getByRole('figure', { name: 'Transcript' }).getByText('Good morning.').waitFor();
		expect(await page.getByRole('table', { name: 'Segments' }).getByRole('row').count()).toBe(3);
		await takePictures(page, 'playground-transcription');
		await page.getByLabel('Response format').selectOption('json');
		await openOptions(page);
		await page.getByLabel('Show it while it is made').check();
		await page.getByRole('button', { name: 'Write it down' }).click();
		await finished(page);
		await newest(page).getByText('Good morning.').waitFor();
		expect(problems).toEqual([]);
	});
});
