import type { Frame, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { show, tinyPdf } from '../../adapters/documents/test/tiny-pdf.ts';
import { solidPng } from '../support/png.ts';
import { axeFindings, overflows, takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';
import { finished, newest, playground, upload } from './support/playground.ts';

const site = consoleFixture(() => playground);

function pdfOf(pages: number): Buffer {
	return tinyPdf({ pages: Array.from({ length: pages }, (_, at) => show([`Chapter ${at + 1} of the book`, 72, 700])) });
}

async function read(page: Page, ...files: readonly ReturnType<typeof upload>[]): Promise<void> {
	await page.locator('input[type=file]').setInputFiles([...files]);
	await page.getByRole('button', { name: 'Read the documents' }).click();
	await finished(page);
}

/** The PDF viewer of Chromium: an extension in its own frame inside the frame of the page. */
async function viewerOf(page: Page): Promise<Frame> {
	const find = () => page.frames().find((frame) => frame.url().startsWith('chrome-extension://'));
	await expect.poll(() => find() !== undefined, { timeout: 20_000 }).toBe(true);
	return find() as Frame;
}

test('pictures stand beside their text, and other formats say why they do not', async () => {
	const { page, problems } = await site.openTab('Documents');
	const sheet = upload('table.csv', 'text/csv', 'name,price\nroom,90\n');
	await read(page, sheet, upload('scan.png', 'image/png', solidPng(64, 64, [255, 255, 255])));
	const table = page.getByRole('region', { name: 'table.csv' });
	await table.getByText('room').last().waitFor();
	await table.getByText('Only PDFs and pictures').waitFor();
	const scan = page.getByRole('region', { name: 'scan.png' });
	await scan.getByRole('img', { name: 'The document scan.png' }).waitFor();
	await scan.locator('.text').waitFor();
	expect(await scan.getByText('Only PDFs and pictures').count()).toBe(0);
	await takePictures(page, 'playground-documents');
	expect(problems).toEqual([]);
});

test('each of 200 pages of a PDF stands beside its text, in the viewer of the browser', async () => {
	const visited = await site.openTab('Documents');
	const { page, problems, foreign } = visited;
	await page.evaluate(`(() => {
		window.revoked = [];
		const revoke = URL.revokeObjectURL.bind(URL);
		URL.revokeObjectURL = (address) => { window.revoked.push(address); revoke(address); };
	})()`);
	await read(page, upload('book.pdf', 'application/pdf', pdfOf(200)));
	const text = page.locator('.playground-run .text');
	const frame = page.locator('iframe');
	const shown = async (chapter: number) => {
		expect(await text.innerText()).toContain(`Chapter ${chapter} of the book`);
		expect(await frame.getAttribute('title')).toBe(`Page ${chapter} of book.pdf`);
		expect(await frame.getAttribute('src')).toMatch(new RegExp(`^blob:${site.url}/[\\w-]+#page=${chapter}$`));
		const number = (await viewerOf(page)).locator('#pageSelector');
		await expect.poll(() => number.inputValue(), { timeout: 20_000 }).toBe(String(chapter));
	};
	await shown(1);
	await page.getByLabel('Page', { exact: true }).selectOption({ label: '137: Chapter 137 of the book' });
	await shown(137);
	// By keyboard. The frame must not take the focus.
	await page.getByLabel('Page', { exact: true }).press('End');
	await shown(200);
	expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
	await takePictures(page, 'playground-pdf', frame);
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
	// `problems` includes violations of the policy.
	expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
	const [address] = ((await frame.getAttribute('src')) ?? '').split('#');
	await newest(page).getByRole('button', { name: 'Remove this result' }).click();
	await page.getByText('Nothing made yet').waitFor();
	expect(await page.evaluate('window.revoked')).toEqual([address]);
});

test('a browser without a viewer says so, and a file that only claims to be a PDF is not framed', async () => {
	const { page, dialogs, problems } = await site.openTab('Documents');
	await read(page, upload('claims.pdf', 'application/pdf', '<!doctype html><script>alert(1)</script><p>Hello'));
	expect(await page.locator('iframe').count()).toBe(0);
	await page.evaluate(`Object.defineProperty(navigator, 'pdfViewerEnabled', { value: false })`);
	await read(page, upload('book.pdf', 'application/pdf', pdfOf(2)));
	await newest(page).getByText('This browser shows no PDFs inside a page').waitFor();
	await newest(page).getByText('Chapter 1 of the book').last().waitFor();
	expect(await page.locator('iframe').count()).toBe(0);
	await takePictures(page, 'playground-pdf-without-viewer', newest(page));
	expect({ dialogs, problems }).toEqual({ dialogs: [], problems: [] });
});
