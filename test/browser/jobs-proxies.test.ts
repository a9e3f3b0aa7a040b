import { expect, onTestFinished, test } from 'vitest';
import { solidPng } from '../support/png.ts';
import { signIn } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { startNginx } from './support/nginx.ts';
import { startProxy } from './support/proxy.ts';
import { key } from './support/server.ts';

const site = consoleFixture(() => ({
	config: 'scripted.config.ts',
	env: { PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true', PLINTH_PUBLIC_URL: 'https://media.example.com/elsewhere' },
}));

test.each([
	['a proxy that strips a prefix', startProxy],
	['nginx with a strict configuration', startNginx],
] as const)('jobs, files, webhooks and the reference work behind %s', async (_name, start) => {
	const proxy = await start(site.url, '/media/ai');
	onTestFinished(() => proxy.stop());
	const visited = await site.visit(`${proxy.url}/`);
	const { page, addresses, foreign, problems, dialogs } = visited;
	await signIn(visited, 'jobs');
	// Live, as without a proxy.
	const id = await site.api.job(`behind a proxy ms=500`);
	const row = page.locator('.virtual-row', { has: page.locator(`a[href="#/jobs/${id}"]`) });
	await row.getByText('In progress').waitFor();
	await row.getByText('Completed').waitFor();
	await row.locator('a').click();
	await page.getByRole('link', { name: /^Download the video/ }).waitFor();

	await page.locator('nav a[href="#/files"]').click();
	const picture = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(solidPng(32, 32, [200, 0, 0])) };
	await page.getByLabel('Files', { exact: true }).setInputFiles(picture);
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByRole('link', { name: 'red.png' }).first().click();
	await expect
		.poll(() => page.evaluate('document.querySelector("[aria-label=Preview] img")?.naturalWidth === 32'), {
			timeout: 20_000,
		})
		.toBe(true);

	await page.locator('nav a[href="#/webhooks"]').click();
	await page.getByRole('button', { name: 'New endpoint' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Name').fill('Proxied');
	await dialog.getByLabel('Address').fill('http://127.0.0.1:9/hooks');
	await dialog.getByLabel('video.failed').check();
	await dialog.getByRole('button', { name: 'Create' }).click();
	await dialog.getByRole('button', { name: 'I have kept it' }).click();
	await page.getByRole('heading', { name: 'Proxied' }).first().waitFor();

	await page.locator('nav a[href="#/reference"]').click();
	await page.locator('.reference-operation').first().waitFor();
	const { pathname } = new URL(proxy.url);
	const outside = addresses.filter((address) => {
		const { protocol, pathname: path } = new URL(address);
		return protocol !== 'blob:' && !path.startsWith(`${pathname}/`);
	});
	const stored = await page.evaluate<string>('JSON.stringify([localStorage, document.cookie, location.href])');
	const leaks = [stored, addresses.join(' '), site.log()].filter((text) => text.includes(key));
	expect({ outside, foreign, problems, dialogs, leaks }).toEqual({
		outside: [],
		foreign: [],
		problems: [],
		dialogs: [],
		leaks: [],
	});
});
