import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { apiOf } from './support/api.ts';
import { axeFindings, overflows, signIn, takePictures } from './support/browser.ts';
import { startCutter } from './support/cutter.ts';
import { consoleFixture } from './support/fixture.ts';
import { key, startServer } from './support/server.ts';

/** The label of the field that has the focus. */
const focusedLabel = `document.activeElement.labels?.[0]?.textContent ?? ''`;

const site = consoleFixture(() => ({ config: 'scripted.config.ts' }));

/** The row of a job in the list. */
const row = (page: Page, title: string) =>
	page.locator('.virtual-row', { has: page.getByText(title, { exact: true }) });

/** Goes to a job without loading the page again. */
async function openJob(page: Page, id: string): Promise<void> {
	await page.evaluate(`location.hash = '#/jobs/${id}'`);
	await page.getByText(id, { exact: true }).waitFor();
}

interface Moment {
	readonly percent: number;
	readonly at: number;
}

/** Records each value of the first progress bar and the time when it was drawn. */
const keepProgress = `(() => {
	window.shownProgress = [];
	const look = () => {
		const percent = document.querySelector('.virtual-row progress')?.value;
		const known = window.shownProgress.at(-1)?.percent;
		if (percent !== undefined && percent !== known) window.shownProgress.push({ percent, at: performance.now() });
		requestAnimationFrame(look);
	};
	look();
})()`;

/** Records when each progress event arrived in the page, before the page reads it. */
const keepArrivals = `(() => {
	window.arrivedProgress = [];
	const original = window.fetch;
	window.fetch = async (...request) => {
		const response = await original(...request);
		if (!String(request[0]).endsWith('/v1/events')) return response;
		const note = new TransformStream({
			transform(chunk, controller) {
				for (const [, percent] of new TextDecoder().decode(chunk).matchAll(/"progress_percent":(\\d+)/g)) {
					window.arrivedProgress.push({ percent: Number(percent), at: performance.now() });
				}
				controller.enqueue(chunk);
			},
		});
		return new Response(response.body.pipeThrough(note), { status: response.status, headers: response.headers });
	};
})()`;

describe('the list of jobs', () => {
	test('shows a job from its submission to its end, with its progress, without a reload', async () => {
		const visited = await site.visit();
		const { page, addresses, problems } = visited;
		await page.evaluate(keepArrivals);
		await signIn(visited, 'jobs');
		await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
		await page.evaluate(keepProgress);
		const title = 'a boat on the river ms=4000';
		await site.api.job(title);
		await row(page, title).getByText('Completed').waitFor();
		const shown = await page.evaluate<readonly Moment[]>('window.shownProgress');
		expect(shown.length).toBeGreaterThan(3);
		expect(shown.map(({ percent }) => percent)).toEqual(shown.map(({ percent }) => percent).toSorted((a, b) => a - b));
		const lags = (await page.evaluate<readonly Moment[]>('window.arrivedProgress'))
			.flatMap(({ percent, at }) => {
				const seen = shown.find((moment) => moment.percent === percent);
				return seen ? [seen.at - at] : [];
			})
			.toSorted((a, b) => a - b);
		const median = Math.round(lags[lags.length >> 1] ?? Number.NaN);
		process.stdout.write(`progress of ${lags.length} events is drawn ${median} ms after its arrival, in the median\n`);
		expect(lags.length).toBeGreaterThan(3);
		expect(median).toBeLessThan(100);
		// One when the view appears, one when the feed starts.
		expect(addresses.filter((address) => address.includes('/v1/videos')).length).toBeLessThanOrEqual(2);
		expect(problems).toEqual([]);
	});

	test('drops a job that somebody else deletes, and shows why another one failed', async () => {
		const { page } = await site.open('jobs');
		const id = await site.api.job('to be deleted elsewhere');
		await row(page, 'to be deleted elsewhere').waitFor();
		await site.api.remove(`/v1/videos/${id}`);
		await row(page, 'to be deleted elsewhere').waitFor({ state: 'detached' });
		await site.api.job('fail: the film tore');
		await row(page, 'fail: the film tore').locator('.error-text').getByText('the film tore').waitFor();
	});

	test('holds all that happened while the connection was cut, in the same tab', async () => {
		const cutter = await startCutter(site.url);
		onTestFinished(() => cutter.stop());
		const gone = await site.api.job('deleted while away');
		await site.api.job('there before ms=1200');
		const { page } = await site.open('jobs', cutter.url);
		await row(page, 'deleted while away').waitFor();
		await row(page, 'there before ms=1200').waitFor();
		cutter.cut();
		await page.getByText('The connection to the server is lost.').waitFor();
		await Promise.all([site.api.remove(`/v1/videos/${gone}`), site.api.job('submitted while away')]);
		await finished('submitted while away', 'there before ms=1200');
		cutter.restore();
		await page.getByText('Connected again. Nothing was missed.').waitFor();
		await row(page, 'submitted while away').getByText('Completed').waitFor();
		await row(page, 'there before ms=1200').getByText('Completed').waitFor();
		await row(page, 'deleted while away').waitFor({ state: 'detached' });
		expect(await shownIds(page)).toEqual(await listedIds());
	});

	test('is loaded anew when more was missed than the server replays', async () => {
		const cutter = await startCutter(site.url);
		onTestFinished(() => cutter.stop());
		const gone = await site.api.job('deleted long ago');
		const { page } = await site.open('jobs', cutter.url);
		await row(page, 'deleted long ago').waitFor();
		cutter.cut();
		await page.getByText('The connection to the server is lost.').waitFor();
		await site.api.remove(`/v1/videos/${gone}`);
		// Each makes three events; the server replays 1,000.
		for (let round = 0; round < 10; round++) {
			await Promise.all(Array.from({ length: 35 }, (_, each) => site.api.job(`many ${round} ${each}`)));
		}
		await finished('many 9 34');
		cutter.restore();
		await page.getByText('Connected again. The lists were loaded again.').waitFor();
		await row(page, 'deleted long ago').waitFor({ state: 'detached' });
		const listed = await listedIds();
		await expect.poll(() => shownIds(page)).toEqual(listed);
	});

	async function finished(...prompts: readonly string[]): Promise<void> {
		const isDone = async () => {
			const { data } = await site.api.get<{ data: { prompt: string; status: string }[] }>('/v1/videos?limit=100');
			return prompts.every((prompt) => data.some((job) => job.prompt === prompt && job.status === 'completed'));
		};
		await expect.poll(isDone, { timeout: 30_000 }).toBe(true);
	}

	const firstRows = 15;

	async function shownIds(page: Page): Promise<readonly string[]> {
		const hashes = await page.evaluate<readonly string[]>(
			`[...document.querySelectorAll('.virtual-row a')].map(({ hash }) => hash)`,
		);
		return hashes.slice(0, firstRows).map((hash) => hash.replace('#/jobs/', ''));
	}

	async function listedIds(): Promise<readonly string[]> {
		const { data } = await site.api.get<{ data: { id: string }[] }>(`/v1/videos?limit=${firstRows}`);
		return data.map(({ id }) => id);
	}
});

test('without a feed of events, the jobs are asked for again and again', async () => {
	const quiet = await startServer({ config: 'no-events.config.ts' });
	onTestFinished(() => quiet.stop());
	const { page } = await site.open('jobs', quiet.url);
	await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
	await apiOf(quiet.url).job('nobody tells of this one');
	await row(page, 'nobody tells of this one').getByText('Completed').waitFor();
});

describe('one job', () => {
	test('shows its video, its poster, its times and its warnings, and saves the video', async () => {
		const visited = await site.open('jobs');
		const { page, foreign, problems } = visited;
		const { id } = await site.api.post<{ id: string }>('/v1/videos', {
			model: 'builtin-video',
			prompt: 'A red boat at night',
			seconds: '2',
			size: '640x480',
		});
		await openJob(page, id);
		const clip = page.locator('video');
		await clip.waitFor();
		await expect
			.poll(() => page.evaluate('document.querySelector("video").videoWidth === 640'), { timeout: 20_000 })
			.toBe(true);
		expect(await clip.getAttribute('src')).toMatch(/^blob:/);
		await expect
			.poll(() => page.evaluate('document.querySelector("video").poster.startsWith("blob:")'), { timeout: 20_000 })
			.toBe(true);
		for (const name of ['Queued', 'Started', 'Ended', 'Took in all', 'Expires']) {
			const value = page.locator('.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
			expect([name, await value.innerText()]).toEqual([name, expect.stringMatching(/\d/)]);
		}
		const saving = page.waitForEvent('download');
		await page.getByRole('link', { name: /^Download the video/ }).click();
		expect((await saving).suggestedFilename()).toBe(`${id}.mp4`);
		await takePictures(page, 'job-completed');
		expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
		expect({ foreign, problems }).toEqual({ foreign: [], problems: [] });
	});

	test('shows unfinished pictures while it runs, and is cancelled and deleted after a question', async () => {
		const { page, problems } = await site.open('jobs');
		const id = await site.api.job('a long film ms=30000');
		await row(page, 'a long film ms=30000').getByText('In progress').waitFor();
		await takePictures(page, 'jobs-running');
		expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
		await openJob(page, id);
		await page.getByAltText('What the model has made so far').waitFor();
		await page.getByRole('button', { name: 'Cancel and delete' }).click();
		await takePictures(page, 'job-cancel');
		expect(await axeFindings(page)).toEqual([]);
		await page.getByRole('dialog').getByRole('button', { name: 'Cancel and delete' }).click();
		await page.getByText('The job was cancelled and deleted.').waitFor();
		await expect(site.api.get(`/v1/videos/${id}`)).rejects.toThrow('404');
		expect(problems).toEqual([]);
	});

	test('shows why it failed, and is run again with another prompt', async () => {
		const { page } = await site.open('jobs');
		await openJob(page, await site.api.job('fail: no colours left'));
		await page.locator('.note.bad').getByText('no colours left').waitFor();
		await takePictures(page, 'job-failed');
		await page.getByRole('button', { name: 'Run again' }).click();
		const dialog = page.getByRole('dialog');
		await dialog.getByText('does not contain a start picture').waitFor();
		await dialog.getByLabel('Size').fill('1x1');
		await dialog.getByRole('button', { name: 'Submit' }).click();
		// The error is beside its field, which has the focus.
		await page.locator('input[aria-invalid="true"]').waitFor();
		await expect.poll(() => page.evaluate(focusedLabel)).toBe('Size');
		await takePictures(page, 'job-again');
		expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
		await dialog.getByLabel('Size').fill('640x480');
		await dialog.getByLabel('Prompt').fill('warn: the colours were mixed anew');
		await dialog.getByRole('button', { name: 'Submit' }).click();
		await page.getByRole('heading', { name: 'warn: the colours were mixed anew' }).waitFor();
		await page.getByText('the colours were mixed anew', { exact: true }).waitFor();
		// A remix copies everything except the prompt.
		await page.getByRole('button', { name: 'Run again' }).click();
		await dialog.getByLabel('As a remix of this video').check();
		await dialog.getByLabel('Prompt').fill('a remix');
		await dialog.getByRole('button', { name: 'Submit' }).click();
		await page.getByText('Remix of').waitFor();
		await page.getByText('640x480').waitFor();
	});

	test('of another tenant, or of none, is said to be unknown', async () => {
		const { page, addresses } = await site.open('jobs');
		await page.evaluate(`location.hash = '#/jobs/video_${'0'.repeat(44)}'`);
		await page.getByText('code video_not_found').waitFor();
		expect(addresses.filter((address) => address.includes(key))).toEqual([]);
		expect(site.log()).not.toContain(key);
	});
});
