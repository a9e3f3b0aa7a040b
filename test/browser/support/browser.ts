import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { root } from '../../support/cli.ts';
import { key } from './server.ts';

/** The folder of the screenshots, which git ignores. */
const pictureFolder = process.env.BROWSER_PICTURES ?? join(root, '.vitest/pictures');

/** The screens on which every view is checked. */
const screens = [
	{ name: 'light', colorScheme: 'light', width: 1280, height: 860 },
	{ name: 'dark', colorScheme: 'dark', width: 1280, height: 860 },
	{ name: 'phone', colorScheme: 'light', width: 375, height: 740 },
	{ name: 'phone-dark', colorScheme: 'dark', width: 375, height: 740 },
] as const;

/** Starts Debian's Chromium. Nothing is downloaded. */
export function launchBrowser(): Promise<Browser> {
	return chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		// Chromium has no sandbox for root, and CI containers run as root.
		args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
	});
}

/** A page, and lists that stay empty while it works correctly. */
export interface Visit {
	readonly page: Page;
	readonly context: BrowserContext;
	/** Addresses of requests to other origins. */
	readonly foreign: readonly string[];
	/** Errors and warnings of the browser's console, including violations of the policy, and uncaught errors. */
	readonly problems: readonly string[];
	/** Dialogs. Only injected code opens them. */
	readonly dialogs: readonly string[];
	/** The addresses of all requests. */
	readonly addresses: readonly string[];
}

/** Opens an address in its own browser context. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
	const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
	const page = await context.newPage();
	const [foreign, problems, dialogs, addresses]: [string[], string[], string[], string[]] = [[], [], [], []];
	const { origin } = new URL(url);
	page.on('request', (request) => {
		addresses.push(request.url());
		const sent = new URL(request.url());
		const where = sent.protocol === 'blob:' ? new URL(sent.pathname).origin : sent.origin;
		// The PDF viewer is an extension that is part of Chromium.
		const isOfBrowser = /^chrome(?:-extension)?:/.test(request.url());
		if (where !== origin && !isOfBrowser) foreign.push(request.url());
	});
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) problems.push(message.text());
	});
	page.on('pageerror', (error) => problems.push(String(error)));
	page.on('dialog', (dialog) => {
		dialogs.push(dialog.message());
		void dialog.dismiss();
	});
	await page.goto(url);
	return { page, context, foreign, problems, dialogs, addresses };
}

/** Enters the key and opens a view, such as `models`. */
export async function signIn({ page }: Visit, view?: string): Promise<void> {
	await page.getByLabel('API key').fill(key);
	await page.getByRole('button', { name: 'Open the console' }).click();
	await page.getByRole('navigation', { name: 'Views' }).waitFor();
	if (view === undefined) return;
	await page.locator(`nav a[href="#/${view}"]`).click();
	await page.locator(`nav a[href="#/${view}"][aria-current="page"]`).waitFor();
}

/** Saves a screenshot per screen, such as `models-dark.png`. It shows `at`, or the current scroll position. */
export async function takePictures(page: Page, name: string, at?: Locator): Promise<void> {
	await mkdir(pictureFolder, { recursive: true });
	for (const { name: screen, colorScheme, width, height } of screens) {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize({ width, height });
		await at?.scrollIntoViewIfNeeded();
		await page.screenshot({ path: join(pictureFolder, `${name}-${screen}.png`) });
	}
	await page.emulateMedia({ colorScheme: 'light' });
	await page.setViewportSize({ width: 1280, height: 860 });
}

/** Serious and critical findings of axe on the page as it is, on each screen. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
	const found: string[] = [];
	// Evaluated, because the policy of the page forbids a script element.
	await page.evaluate(axe.source);
	for (const { name, colorScheme, width, height } of screens) {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize({ width, height });
		const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
		for (const { id, impact, nodes } of violations) {
			if (impact !== 'serious' && impact !== 'critical') continue;
			found.push(`${name}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
		}
	}
	return found;
}

/** Whether the page scrolls horizontally. No view may do so on any screen. */
export async function overflows(page: Page): Promise<readonly string[]> {
	const wide: string[] = [];
	for (const { name, width, height } of screens) {
		await page.setViewportSize({ width, height });
		const needed = await page.evaluate<number>('document.documentElement.scrollWidth');
		if (needed > width) wide.push(`${name}: ${needed} px`);
	}
	return wide;
}
