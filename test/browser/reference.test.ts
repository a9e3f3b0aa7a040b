import { expect, test } from 'vitest';
import { apiOf } from './support/api.ts';
import { axeFindings, overflows, takePictures, type Visit } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { key } from './support/server.ts';

const site = consoleFixture();

async function open(): Promise<Visit> {
	const visited = await site.open('reference');
	await visited.page.locator('.reference-operation').first().waitFor();
	return visited;
}

/** The members of the OpenAPI document that this test reads. */
interface Described {
	readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
}

test('it lists every operation of the document, and renders the content of those that are open', async () => {
	const { page, foreign, problems } = await open();
	const { paths } = await apiOf(site.url).get<Described>('/openapi.json');
	const count = Object.values(paths).flatMap((item) => Object.keys(item)).length;
	expect(count).toBeGreaterThan(40);
	expect(await page.locator('.reference-operation').count()).toBe(count);
	expect(await page.locator('.reference-body').count()).toBe(0);
	// The document is fetched each time the view is opened.
	await page.locator('nav a[href="#/models"]').click();
	await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
	const ms = await page.evaluate<number>(`new Promise((resolve) => {
		const began = performance.now();
		location.hash = '#/reference';
		const look = () => {
			if (document.querySelectorAll('.reference-operation').length < ${count}) requestAnimationFrame(look);
			else resolve(performance.now() - began);
		};
		look();
	})`);
	process.stdout.write(`the reference of ${count} operations is there after ${Math.round(ms)} ms\n`);
	expect(ms).toBeLessThan(1_000);
	await takePictures(page, 'reference-list');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
	expect({ foreign, problems }).toEqual({ foreign: [], problems: [] });
});

test('an operation shows its parameters with bounds and defaults, its answers, error codes and a call', async () => {
	const { page } = await open();
	await page.evaluate(`location.hash = '#/reference/post_v1_videos'`);
	const body = page.locator('.reference-body');
	await body.waitFor();
	const member = (name: string) =>
		body.locator('.reference-members > div', { has: page.locator(`dt code:text-is("${name}")`) });
	expect(await member('prompt').innerText()).toMatch(/string required[\s\S]*1 to 32,000 characters/);
	expect(await member('seconds').innerText()).toMatch(/one of 2, 4, 8, 12[\s\S]*default 4/);
	expect(await member('Idempotency-Key').innerText()).toContain('in header');
	await member('input_reference').getByText('form 1').click();
	await member('image_url').last().waitFor();
	await body.getByText('model_not_found').waitFor();
	const call = await body.locator('pre').innerText();
	expect(call).toContain(`curl ${site.url}/v1/videos`);
	expect(call).toContain('Authorization: Bearer $PLINTH_API_KEY');
	expect(call).not.toContain(key);
	await body.getByText('The queued job.').click();
	await member('progress_percent').waitFor();
	await takePictures(page, 'reference-operation');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
});

test('every operation opens without an error, and shows each of its answers', async () => {
	const { page, problems } = await open();
	const shown = await page.evaluate<readonly { readonly answers: number; readonly call: string }[]>(`(async () => {
		const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
		const found = [];
		for (const details of document.querySelectorAll('.reference-operation')) {
			details.open = true;
			while (!details.querySelector('.reference-body')) await frame();
			for (const inner of details.querySelectorAll('.reference-part:not([open])')) inner.open = true;
			await frame();
			const answers = [...details.querySelectorAll('.reference-body > .reference-part > summary .badge')];
			found.push({ answers: answers.length, call: details.querySelector('pre').textContent });
			details.open = false;
			await frame();
		}
		return found;
	})()`);
	expect(shown.every(({ answers, call }) => answers > 0 && /^curl /.test(call))).toBe(true);
	expect(problems).toEqual([]);
}, 180_000);

test('a search leaves what has all its words, and an address leads to a part', async () => {
	const { page } = await open();
	await page.getByLabel('Search').fill('webhook secret');
	await page
		.getByText('POST/v1/webhook_endpoints/{id}/rotate_secret')
		.or(page.getByText('rotate_secret'))
		.first()
		.waitFor();
	expect(await page.locator('.reference-operation').count()).toBeLessThan(6);
	await page.getByLabel('Search').fill('no such words anywhere');
	await page.getByRole('heading', { name: 'No operation has all of these words' }).waitFor();
	await page.getByLabel('Search').fill('');
	await page.getByRole('navigation', { name: 'Parts of the API' }).getByRole('link', { name: 'speech' }).click();
	const top = `[...document.querySelectorAll('h2')].find((h) => h.textContent === 'speech').getBoundingClientRect().top`;
	await expect.poll(() => page.evaluate(`${top} >= 0 && ${top} < innerHeight`)).toBe(true);
});
