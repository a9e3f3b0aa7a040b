import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';

/** A server with a model for every capability of the Playground. */
export const playground = { config: 'playground.config.ts' } as const;

/** Switches to a tab. */
export async function chooseTab(page: Page, tab: string): Promise<void> {
	await page.getByRole('tab', { name: tab, exact: true }).click();
	await page.getByRole('form', { name: tab, exact: true }).waitFor();
}

/** Opens the advanced options. */
export async function openOptions(page: Page): Promise<void> {
	await page.getByText('More options').click();
}

/** The newest result. */
export function newest(page: Page): Locator {
	return page.locator('.playground-run').first();
}

/** Waits until the newest result is final. */
export async function finished(page: Page): Promise<void> {
	await newest(page).getByText(/^Done/).waitFor();
}

/** The text beside a field that the server has refused. */
export async function errorBeside(page: Page, label: string): Promise<string> {
	const field = page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid="true"]'));
	await field.waitFor();
	const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
	return await page.locator(`[id="${ids.at(-1)}"]`).innerText();
}

/** Waits until an expression is true on the page. The page's policy forbids Playwright's own wait function. */
export async function until(page: Page, expression: string): Promise<void> {
	await page.evaluate(`new Promise((resolve) => {
		const look = () => ((${expression}) ? resolve() : requestAnimationFrame(look));
		look();
	})`);
}

/** A file for an input of a page. */
export function upload(name: string, mimeType: string, content: string | Uint8Array) {
	return { name, mimeType, buffer: Buffer.from(content) };
}

/** The file that a link downloads. */
export async function saved(page: Page, name = 'Download'): Promise<{ readonly name: string; readonly bytes: Buffer }> {
	const [download] = await Promise.all([
		page.waitForEvent('download'),
		page.getByRole('link', { name }).first().click(),
	]);
	return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
