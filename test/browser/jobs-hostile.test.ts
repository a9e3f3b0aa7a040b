import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { overflows, type Visit } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';

const site = consoleFixture(() => ({ config: 'scripted.config.ts', env: { PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true' } }));

/** Texts that, if executed, open a dialog, send a request to another host, or set a member of `window`. */
const attempts = [
	'<script>alert(1)</script>',
	'<img src=x onerror=alert(2)>',
	'<svg onload=alert(3)>',
	'"><img src=x onerror=alert(4)>',
	"' autofocus onfocus=alert(5) x='",
	'<iframe srcdoc="<script>parent.alert(6)</script>"></iframe>',
	'<a href="javascript:alert(7)">click</a>',
	'javascript:alert(8)',
	'</textarea><script>alert(9)</script>',
	'</title><script>alert(10)</script>',
	'<style>@import "//evil.example/11.css"</style>',
	'<base href="//evil.example/12/">',
	'<meta http-equiv=refresh content="0;url=//evil.example/13">',
	'<link rel=stylesheet href=//evil.example/14.css>',
	'<object data="data:text/html,<script>alert(15)</script>"></object>',
	'<video><source onerror=alert(16)></video>',
	'<details open ontoggle=alert(17)>',
	'<form action=//evil.example/18><button autofocus>x</button></form>',
	'<math><mi xlink:href="data:x,<script>alert(19)</script>">',
	'{{constructor.constructor("alert(20)")()}}',
	'$' + '{alert(21)}',
	'[x](javascript:alert(22))',
	'&lt;script&gt;alert(23)&lt;/script&gt;',
	'\u202Etpircs<script>alert(24)</script>',
	'<template shadowrootmode=open><script>alert(25)</script></template>',
	'<input autofocus onfocus=window.hit=26>',
	'__proto__ <img src=//evil.example/27.png>',
	`<script>${'window.hit=28;'.repeat(40)}</script>`,
];

/** The elements that the page makes itself. A hostile text that is parsed as markup adds another one. */
const strange = `(() => {
	const names = 'script, style, iframe, object, embed, base, meta, link, math, template, source, form[action]';
	const marks = '[onerror], [onload], [onfocus], [ontoggle], [href^="javascript" i]';
	return [...document.querySelectorAll(names + ', ' + marks)]
		.filter((element) => element.closest('head') === null)
		.map((element) => element.outerHTML.slice(0, 80));
})()`;

async function expectHarmless({ page, foreign, dialogs, problems }: Visit): Promise<void> {
	const found = await page.evaluate<readonly string[]>(strange);
	const hit = await page.evaluate('window.hit ?? null');
	const violations = problems.filter((text) => !/status of (?:400|404)/.test(text));
	expect({ found, hit, foreign, dialogs, violations }).toEqual({
		found: [],
		hit: null,
		foreign: [],
		dialogs: [],
		violations: [],
	});
	expect(await overflows(page)).toEqual([]);
}

async function openJob(page: Page, id: string): Promise<void> {
	await page.evaluate(`location.hash = '#/jobs/${id}'`);
	await page.locator('.jobs-facts').getByText(id).waitFor();
}

test(`${attempts.length} attempts through prompts, error texts and warnings of jobs run nothing`, async () => {
	const visited = await site.open('jobs');
	const { page } = visited;
	const ids: string[] = [];
	for (const attempt of attempts) {
		ids.push(
			await site.api.job(attempt),
			await site.api.job(`fail: ${attempt}`),
			await site.api.job(`warn: ${attempt}`),
		);
	}
	const last = page.locator('.virtual-row', { has: page.locator(`a[href="#/jobs/${ids.at(-1)}"]`) });
	await last.getByText('Completed').waitFor();
	await page.getByLabel('Search').fill(attempts[0] as string);
	await page.getByText('3 of 84 jobs').waitFor();
	await page.getByLabel('Search').fill('');
	await expectHarmless(visited);
	for (const [index, attempt] of attempts.entries()) {
		const [, failed = '', warned = ''] = ids.slice(3 * index);
		await openJob(page, failed);
		expect(await page.locator('.jobs-prompt').textContent()).toContain(attempt.trim());
		expect(await page.locator('.note.bad p').first().textContent()).toBe(attempt.trim());
		if (index % 4 !== 0) continue;
		await openJob(page, warned);
		expect(await page.locator('.note.warn li').textContent()).toBe(attempt);
		// The dialogs show the prompt, too.
		await page.getByRole('button', { name: 'Run again' }).click();
		await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
		await page.getByRole('button', { name: 'Delete' }).click();
		await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
	}
	await expectHarmless(visited);
});

test(`${attempts.length} attempts through names and contents of files run nothing`, async () => {
	const ids = await Promise.all(
		attempts.map((attempt) => site.api.upload(attempt, `${attempt}\n${attempts.join('\n')}`)),
	);
	const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(29)"><script>alert(30)</script></svg>';
	ids.push(
		await site.api.upload('picture.svg', svg),
		await site.api.upload('page.html', `<!doctype html>${attempts.join('')}`),
	);
	const visited = await site.open('files');
	const { page } = visited;
	await page
		.locator('.table th a')
		.nth(ids.length - 1)
		.waitFor();
	await expectHarmless(visited);
	for (const id of ids) {
		await page.evaluate(`location.hash = '#/files/${id}'`);
		await page.locator('.card').getByText(id).waitFor();
		await page.locator('pre.text').waitFor();
	}
	await expectHarmless(visited);
});

test('attempts through endpoints of webhooks and through addresses of the page run nothing', async () => {
	for (const [index, name] of attempts.entries()) {
		const url = `http://127.0.0.1:9/${encodeURIComponent(name)}`;
		await site.api.post('/v1/webhook_endpoints', { name, url, event_types: ['video.failed'] });
		if (index === 9) break;
	}
	const visited = await site.open('webhooks');
	const { page } = visited;
	await page.locator('.webhooks-card').nth(9).waitFor();
	await expectHarmless(visited);
	const typed = [...attempts.map(encodeURIComponent), '.', '..', '%2e%2e', '..%2f..%2fopenapi.json', '%E0%A4%A'];
	for (const view of ['jobs', 'files', 'webhooks/deliveries', 'reference']) {
		for (const part of typed) await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}/${part}`)}`);
	}
	for (const part of ['.', '..']) {
		for (const view of ['jobs', 'files', 'webhooks/deliveries']) {
			await page.evaluate(`location.hash = '#/${view}/${part}'`);
			await page.getByRole('alert').waitFor();
		}
	}
	await expectHarmless(visited);
});
