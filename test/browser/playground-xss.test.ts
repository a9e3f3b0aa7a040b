import { describe, expect, test } from 'vitest';
import { solidPng } from '../support/png.ts';
import type { Visit } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { chooseTab, finished, newest, openOptions, playground, upload } from './support/playground.ts';

const site = consoleFixture(() => playground);

/** Each opens a dialog or sets `window.executed` if the page uses it as markup, a script or an address. */
const attempts = [
	'<script>alert(1)</script>',
	'<img src=x onerror=alert(2)>',
	'"><svg onload=alert(3)>',
	`'"><iframe srcdoc="<script>parent.executed=4</script>">`,
	'javascript:alert(5)',
	'<a href="javascript:alert(6)" autofocus onfocus=alert(6)>x</a>',
	'</textarea><script>window.executed=7</script>',
	'</style><style>*{background:url(javascript:alert(8))}</style>',
	'<details open ontoggle=alert(9)>',
	'<video><source onerror=alert(10)></video>',
	'data:text/html,<script>alert(11)</script>',
	'{{constructor.constructor("alert(12)")()}}${alert(12)}',
	'<template><img src=x onerror=alert(13)></template><base href=//evil.example>',
] as const;

/** File names have no slash. */
const names = attempts.map((attempt) => attempt.replaceAll('/', '⁄'));

async function expectHarmless({ page, dialogs, problems, foreign }: Visit): Promise<void> {
	expect(await page.evaluate('window.executed ?? null')).toBeNull();
	const made =
		'main :is(script, iframe, style, base, template, object, embed, [onerror], [onload], [onfocus], [ontoggle])';
	expect(await page.locator(made).count()).toBe(0);
	expect(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count()).toBe(0);
	// `problems` includes violations of the policy, so no attack even reached the policy.
	expect({ dialogs, problems, foreign }).toEqual({ dialogs: [], problems: [], foreign: [] });
}

describe(`${4 * attempts.length} attempts to run code`, () => {
	test('through prompts and answers', async () => {
		const visited = await site.openTab('Chat');
		const { page } = visited;
		await page.getByLabel('Model').selectOption('echo-1');
		await page.getByRole('button', { name: 'Remove bill.txt' }).click();
		for (const [at, attempt] of attempts.entries()) {
			await page.getByLabel('Message').fill(attempt);
			await page.getByLabel('Message').press('Enter');
			await page.locator('.playground-said:not(.user)').nth(at).getByText(attempt, { exact: true }).waitFor();
			await page.locator('.playground-said[aria-busy="true"]').waitFor({ state: 'detached' });
		}
		await chooseTab(page, 'Image');
		await page.getByLabel('Prompt').fill(attempts.join(' '));
		await page.getByLabel('Size').fill('64x64');
		await page.getByRole('button', { name: 'Make the picture' }).click();
		await finished(page);
		await expectHarmless(visited);
	});

	test('through file names, in the form, the result and the snippets', async () => {
		const visited = await site.openTab('Documents');
		const { page } = visited;
		const picture = solidPng(16, 16, [1, 2, 3]);
		await page.locator('input[type=file]').setInputFiles(names.map((name) => upload(name, 'image/png', picture)));
		await page.getByRole('button', { name: 'Read the documents' }).click();
		await finished(page);
		for (const name of names) await newest(page).getByRole('heading', { name, exact: true, level: 4 }).waitFor();
		for (const language of ['Python', 'TypeScript']) await page.getByRole('tab', { name: language }).click();
		await chooseTab(page, 'Chat');
		await page.locator('input[type=file]').setInputFiles(names.map((name) => upload(name, 'text/plain', 'a note')));
		await page.getByRole('button', { name: 'Send' }).click();
		await page.locator('.playground-said.user').waitFor();
		await expectHarmless(visited);
	});

	test('through error texts', async () => {
		const visited = await site.openTab('Chat');
		const { page } = visited;
		await page.getByLabel('Model').selectOption('echo-1');
		await page.getByRole('button', { name: 'Remove bill.txt' }).click();
		for (const attempt of attempts) {
			await page.getByLabel('Message').fill(`fail: ${attempt}`);
			await page.getByLabel('Message').press('Enter');
			await page.getByRole('alert').getByText(attempt).last().waitFor();
			await page.locator('.playground-said[aria-busy="true"]').waitFor({ state: 'detached' });
		}
		await chooseTab(page, 'Speech');
		await openOptions(page);
		await expectHarmless(visited);
	});

	test('through the texts of documents', async () => {
		const visited = await site.openTab('Documents');
		const { page } = visited;
		await page
			.locator('input[type=file]')
			.setInputFiles(attempts.map((attempt, at) => upload(`note-${at}.txt`, 'text/plain', `Note: ${attempt}`)));
		await page.getByRole('button', { name: 'Read the documents' }).click();
		await finished(page);
		const texts = await page.locator('.playground-run .text').allInnerTexts();
		expect(texts.length).toBe(attempts.length);
		for (const attempt of attempts) expect(texts.join('\n')).toContain(attempt);
		await expectHarmless(visited);
	});
});
