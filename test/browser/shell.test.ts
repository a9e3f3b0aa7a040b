import { describe, expect, onTestFinished, test } from 'vitest';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { axeFindings, overflows, signIn, takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { startProxy } from './support/proxy.ts';
import { key, startServer } from './support/server.ts';

const site = consoleFixture();

describe('the policy', () => {
	test('is sent with the page, and forbids what it should', async () => {
		const visited = await site.visit();
		const response = await visited.page.reload();
		const policy = response?.headers()['content-security-policy'] ?? '';
		expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
		expect(policy).not.toContain('unsafe');
		// Injected like an attack: as markup, as a script element, and as evaluated text.
		const outcomes = await visited.page.evaluate<readonly string[]>(`(() => {
			const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.name; } };
			return [
				attempt(() => { document.body.innerHTML = '<img src=x onerror="alert(1)">'; }),
				attempt(() => {
					const script = document.createElement('script');
					script.textContent = 'alert(2)';
					document.body.append(script);
				}),
			];
		})()`);
		expect(outcomes).toEqual(['TypeError', 'TypeError']);
		expect(visited.dialogs).toEqual([]);
	});
});

describe('the key screen', () => {
	test('leads to the views, asks no other host, and leaves no error', async () => {
		const visited = await site.visit();
		await signIn(visited, 'models');
		const { page, foreign, problems } = visited;
		await page.getByRole('heading', { name: 'builtin-video' }).waitFor();
		expect({ foreign, problems }).toEqual({ foreign: [], problems: [] });
	});

	test('keeps the key out of addresses, the local storage and the log', async () => {
		const visited = await site.visit();
		await signIn(visited, 'models');
		const { page, addresses } = visited;
		await page.getByRole('heading', { name: 'builtin-chat' }).waitFor();
		const stored = await page.evaluate<string>('JSON.stringify([localStorage, document.cookie, location.href])');
		const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)');
		expect(kept).toContain(key);
		expect([stored, addresses.join(' '), site.log()].filter((text) => text.includes(key))).toEqual([]);
	});

	test('says beside the field that a key is wrong', async () => {
		const { page } = await site.visit();
		await page.getByLabel('API key').fill('a-key-that-nobody-has-issued');
		await page.getByRole('button', { name: 'Open the console' }).click();
		const field = page.getByLabel('API key');
		await page.locator('input[aria-invalid="true"]').waitFor();
		const described = await field.getAttribute('aria-describedby');
		const texts = await Promise.all((described ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()));
		expect(texts.join(' ')).toMatch(/key is not valid/);
		await takePictures(page, 'key-wrong');
	});

	test('comes back when the key is forgotten', async () => {
		const visited = await site.visit();
		await signIn(visited);
		await visited.page.getByRole('button', { name: 'Forget the key' }).click();
		await visited.page.getByLabel('API key').waitFor();
		expect(await visited.page.evaluate('sessionStorage.length')).toBe(0);
	});

	test('stays away after a reload of the tab', async () => {
		const visited = await site.visit();
		await signIn(visited, 'models');
		await visited.page.reload();
		await visited.page.getByRole('heading', { name: 'builtin-image' }).waitFor();
	});
});

describe('every screen', () => {
	test.each(['key', 'playground', 'jobs', 'files', 'webhooks', 'models', 'reference'])(
		'%s has no serious finding of axe and does not scroll sideways',
		async (view) => {
			const visited = await site.visit();
			if (view !== 'key') await signIn(visited, view);
			await visited.page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {});
			await takePictures(visited.page, view);
			expect(await axeFindings(visited.page)).toEqual([]);
			expect(await overflows(visited.page)).toEqual([]);
			expect(visited.problems).toEqual([]);
		},
	);

	test('is reached by keyboard alone', async () => {
		const { page } = await site.visit();
		const press = (...keys: readonly string[]) =>
			keys.reduce((all, each) => all.then(() => page.keyboard.press(each)), Promise.resolve());
		await page.getByLabel('API key').focus();
		await page.keyboard.type(key);
		await press('Enter');
		await page.getByRole('navigation', { name: 'Views' }).waitFor();
		await press('Tab', 'Enter');
		expect(await page.evaluate('document.activeElement.id')).toBe('main');
		await page.locator('nav a[href="#/models"]').focus();
		await press('Enter');
		await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
		expect(await page.evaluate('document.activeElement.textContent')).toBe('Models');
	});

	test('changes between light and dark and remembers it', async () => {
		const { page } = await site.visit();
		await page.getByRole('button', { name: 'Use the dark theme' }).click();
		await page.reload();
		await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
		expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
	});
});

describe('behind a reverse proxy that strips a prefix', () => {
	test('the page, the API and the feed work, and nothing outside the prefix is asked for', async () => {
		const proxy = await startProxy(site.url, '/media/ai');
		onTestFinished(() => proxy.stop());
		const visited = await site.visit(`${proxy.url}/`);
		await signIn(visited, 'models');
		await visited.page.getByRole('heading', { name: 'builtin-video' }).waitFor();
		const { pathname } = new URL(proxy.url);
		expect(visited.addresses.filter((address) => !new URL(address).pathname.startsWith(pathname))).toEqual([]);
		expect(visited.addresses.filter((address) => address.endsWith('/v1/events'))).toHaveLength(1);
		expect(visited.problems).toEqual([]);
	});
});

describe('the connection', () => {
	test('is shown as lost when the server ends, and as back when it serves again', async () => {
		const cwd = await temporaryDir('browser-connection');
		onTestFinished(() => removeDir(cwd));
		const first = await startServer({ cwd });
		const visited = await site.visit(first.url);
		// A job that starts before the feed is connected would miss events.
		const feed = visited.page.waitForResponse((response) => response.url().endsWith('/v1/events'));
		await signIn(visited, 'models');
		await feed;
		await visited.page.getByRole('heading', { name: 'builtin-video' }).waitFor();
		await first.stop();
		await visited.page.getByText('The connection to the server is lost.').waitFor();
		await takePictures(visited.page, 'connection-lost');
		// The notice is shown for five seconds, which may have passed before the server reports its start.
		const back = visited.page.getByText('Connected again. Nothing was missed.').waitFor({ timeout: 50_000 });
		const second = await startServer({ cwd, port: Number(new URL(first.url).port) });
		onTestFinished(() => second.stop());
		await back;
	});
});
