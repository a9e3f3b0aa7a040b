import { describe, expect, onTestFinished, test } from 'vitest';
import { solidPng } from '../support/png.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { axeFindings, overflows, takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { chooseTab, errorBeside, newest, openOptions, playground, upload } from './support/playground.ts';
import { startServer } from './support/server.ts';

const site = consoleFixture(() => playground);

describe('an error of the API stands beside the field of its param', () => {
	test('on every tab', async () => {
		const { page } = await site.openTab('Documents');
		await page.locator('input[type=file]').setInputFiles(upload('a.txt', 'text/plain', 'a'));
		const cases = [
			['Image', 'Make the picture', 'Prompt', '', /^prompt/],
			['Image', 'Make the picture', 'Size', '17x17', /^size/],
			['Image', 'Make the picture', 'How many', '99', /^n: .*10/],
			['Image', 'Make the picture', 'How many', 'many', /^n: /],
			['Video', 'Make the video', 'Prompt', ' ', /^prompt/],
			['Speech', 'Speak', 'Text', '', /^input/],
			['Speech', 'Speak', 'Speed', '9', /^speed/],
			['Documents', 'Read the documents', 'Pages', 'x', /^pages/],
		] as const;
		for (const [tab, verb, label, value, expected] of cases) {
			await chooseTab(page, tab);
			const field = page.getByLabel(label, { exact: label !== 'Prompt' && label !== 'Text' });
			const before = await field.inputValue();
			await field.fill(value);
			await page.getByRole('button', { name: verb }).click();
			const wrong = page.locator('[aria-invalid="true"]');
			await wrong.and(field).waitFor();
			expect(await wrong.count()).toBe(1);
			const described = (await wrong.getAttribute('aria-describedby')) ?? '';
			expect(await page.locator(`[id="${described.split(' ').at(-1)}"]`).innerText()).toMatch(expected);
			await newest(page).getByText('The server refused it').waitFor();
			await newest(page).getByRole('button', { name: 'Remove this result' }).click();
			await field.fill(before);
		}
	});

	test('also in "More options", which open by themselves', async () => {
		const { page } = await site.openTab('Image');
		await openOptions(page);
		await page.getByLabel('Seed').fill('-1');
		await page.getByText('More options').click();
		await page.getByRole('button', { name: 'Make the picture' }).click();
		expect(await errorBeside(page, 'Seed')).toMatch(/seed/);
		expect(await page.getByLabel('Seed').isVisible()).toBe(true);
		await takePictures(page, 'playground-error');
		expect(await axeFindings(page)).toEqual([]);
		expect(await overflows(page)).toEqual([]);
	});

	test('also without a file, and in a chat, where the question is in the field again', async () => {
		const { page } = await site.openTab('Edit');
		await page.getByRole('button', { name: 'Change the picture' }).click();
		expect(await errorBeside(page, 'Picture')).toMatch(/image/);
		await chooseTab(page, 'Chat');
		await page.getByRole('button', { name: 'Remove bill.txt' }).click();
		await page.locator('input[type=file]').setInputFiles(upload('broken.mp3', 'audio/mpeg', 'no sound'));
		await page.getByLabel('Message').fill('What is said?');
		await page.getByRole('button', { name: 'Send' }).click();
		expect(await errorBeside(page, 'Message')).toMatch(/messages\[0\]/);
		expect(await page.getByLabel('Message').inputValue()).toBe('What is said?');
	});

	test('and what is no JSON is not sent', async () => {
		const { page, addresses } = await site.openTab('Chat');
		await openOptions(page);
		await page.getByLabel('Tools').fill('[{');
		await page.getByRole('button', { name: 'Send' }).click();
		expect(await errorBeside(page, 'Tools')).toBe('This is not JSON.');
		expect(addresses.filter((address) => address.endsWith('/v1/chat/completions'))).toEqual([]);
	});
});

test('a failure in the middle of a stream is shown, and what came before it stays', async () => {
	const { page } = await site.openTab('Chat');
	await page.getByLabel('Model').selectOption('echo-1');
	await page.getByRole('button', { name: 'Remove bill.txt' }).click();
	await page.getByLabel('Message').fill('fail: the model has run out of memory');
	await page.getByRole('button', { name: 'Send' }).click();
	const said = page.locator('.playground-said:not(.user)');
	await said.getByRole('alert').getByText('the model has run out of memory').waitFor();
	await said.getByRole('button', { name: 'Try again' }).waitFor();
});

test('a connection that breaks during a stream is shown, what came stays, and another attempt is whole', async () => {
	const cwd = await temporaryDir('browser-dropped');
	onTestFinished(() => removeDir(cwd));
	const first = await startServer({ ...playground, cwd });
	const { page } = await site.openTab('Chat', first.url);
	await page.getByLabel('Model').selectOption('paced-1');
	await page.getByRole('button', { name: 'Remove bill.txt' }).click();
	await page.getByLabel('Message').fill(Array.from({ length: 100 }, (_, at) => `word${at}`).join(' '));
	await page.getByRole('button', { name: 'Send' }).click();
	const said = page.locator('.playground-said:not(.user)');
	await said.getByText('word5').waitFor();
	await first.stop();
	await said.getByRole('alert').getByText('The server cannot be reached.').waitFor();
	await said.getByText('word5').waitFor();
	await takePictures(page, 'playground-dropped');
	const second = await startServer({ ...playground, cwd, port: Number(new URL(first.url).port) });
	onTestFinished(() => second.stop());
	await said.getByRole('button', { name: 'Try again' }).click();
	await said.getByText('word99').waitFor();
	expect(await said.count()).toBe(1);
});

test('a form follows the facts of its model, and warnings of an answer are shown', async () => {
	const { page } = await site.openTab('Video');
	const optionsOf = (label: string) => page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();
	expect(await optionsOf('Seconds')).toEqual(['2', '4', '8', '12']);
	expect(await optionsOf('Size')).toContain('640x480');
	await chooseTab(page, 'Speech');
	expect(await page.getByLabel('Voice').locator('option').allInnerTexts()).toContain('nova');
	await chooseTab(page, 'Image');
	await page.getByLabel('Size').fill('64x64');
	await openOptions(page);
	await page.getByLabel('Style').selectOption('vivid');
	await page.getByRole('button', { name: 'Make the picture' }).click();
	await page.getByRole('list', { name: 'Warnings' }).getByText('has no styles').waitFor();
});

test('every tab has no serious finding of axe, and does not scroll sideways', async () => {
	const { page, problems } = await site.openTab('Video');
	for (const tab of ['Video', 'Image', 'Edit', 'Chat', 'Speech', 'Transcription', 'Documents']) {
		await chooseTab(page, tab);
		const more = page.getByText('More options');
		if (await more.count()) await more.click();
		if (tab === 'Edit') {
			const picture = upload('a.png', 'image/png', solidPng(64, 64, [9, 9, 9]));
			await page.locator('input[type=file]').first().setInputFiles(picture);
			await page.getByText('Mark a rectangle by numbers').click();
		}
		expect({ tab, found: await axeFindings(page) }).toEqual({ tab, found: [] });
		expect({ tab, wide: await overflows(page) }).toEqual({ tab, wide: [] });
		await page.setViewportSize({ width: 1280, height: 860 });
	}
	expect(problems).toEqual([]);
});
