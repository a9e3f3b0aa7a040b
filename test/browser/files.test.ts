import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { solidPng } from '../support/png.ts';
import { axeFindings, overflows, takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';

const site = consoleFixture();

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const picture = solidPng(64, 48, [40, 120, 200]);

/** A second of silence: 16-bit PCM, 8 kHz. */
function silentWav(): Buffer<ArrayBuffer> {
	const data = 16_000;
	const head = Buffer.alloc(44);
	head.write('RIFF');
	head.writeUInt32LE(36 + data, 4);
	head.write('WAVEfmt ', 8);
	head.writeUInt32LE(16, 16);
	head.writeUInt16LE(1, 20);
	head.writeUInt16LE(1, 22);
	head.writeUInt32LE(8_000, 24);
	head.writeUInt32LE(16_000, 28);
	head.writeUInt16LE(2, 32);
	head.writeUInt16LE(16, 34);
	head.write('data', 36);
	head.writeUInt32LE(data, 40);
	return Buffer.concat([head, Buffer.alloc(data)]);
}

async function openFile(page: Page, name: string): Promise<void> {
	await link(page, name).click();
	await page.getByRole('heading', { name, exact: true }).waitFor();
}

test('files are uploaded by choice and by drop, listed, previewed, downloaded and deleted', async () => {
	const { page, foreign, problems } = await site.open('files');
	await page.getByRole('heading', { name: 'No files yet' }).waitFor();
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByText('Choose a file first.').waitFor();
	await page.getByLabel('Files', { exact: true }).setInputFiles([
		{ name: 'blue.png', mimeType: 'image/png', buffer: Buffer.from(picture) },
		{ name: 'silence.wav', mimeType: 'audio/wav', buffer: silentWav() },
	]);
	await page.getByRole('form', { name: 'Upload files' }).getByLabel('Purpose').selectOption('vision');
	await page.getByLabel('Expires').selectOption('86400');
	await page.getByRole('button', { name: 'Upload' }).click();
	await link(page, 'silence.wav').waitFor();
	await page.evaluate(`(() => {
		const dropped = new DataTransfer();
		dropped.items.add(new File(['Greetings from a text. '.repeat(5000)], 'greetings.txt'));
		document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }));
	})()`);
	await page.getByRole('button', { name: 'Upload' }).click();
	await link(page, 'greetings.txt').waitFor();
	await takePictures(page, 'files-list');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);

	await openFile(page, 'blue.png');
	await expect
		.poll(() => page.evaluate('document.querySelector("[aria-label=Preview] img")?.naturalWidth === 64'), {
			timeout: 20_000,
		})
		.toBe(true);
	await page.getByText('vision').waitFor();
	await takePictures(page, 'file-picture');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
	await page.goBack();
	await openFile(page, 'silence.wav');
	await expect
		.poll(() => page.evaluate('document.querySelector("[aria-label=Preview] audio")?.duration === 1'), {
			timeout: 20_000,
		})
		.toBe(true);
	await page.goBack();
	await openFile(page, 'greetings.txt');
	await page.locator('pre.text').waitFor();
	expect((await page.locator('pre.text').innerText()).length).toBeLessThanOrEqual(65_536);
	await page.getByText('These are the first 66 KB.').waitFor();
	await takePictures(page, 'file-text');

	const saving = page.waitForEvent('download');
	await page.getByRole('button', { name: 'Download' }).click();
	expect((await saving).suggestedFilename()).toBe('greetings.txt');
	await page.getByRole('button', { name: 'Delete' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
	await page.getByText('The file was deleted.').waitFor();
	await link(page, 'greetings.txt').waitFor({ state: 'detached' });
	await link(page, 'blue.png').waitFor();
	const { data } = await site.api.get<{ data: { filename: string }[] }>('/v1/files');
	expect(data.map(({ filename }) => filename)).toEqual(['silence.wav', 'blue.png']);
	expect({ foreign, problems }).toEqual({ foreign: [], problems: [] });
});

test('a refused upload is explained beside its field, and the other files stay chosen', async () => {
	const { page } = await site.open('files');
	await page.getByLabel('Files', { exact: true }).setInputFiles([
		{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
		{ name: 'full.txt', mimeType: 'text/plain', buffer: Buffer.from('full') },
	]);
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.locator('.field .error-text', { hasText: 'the file is empty' }).waitFor();
	expect(await page.locator('.file-names li > span').allInnerTexts()).toEqual(['empty.txt', 'full.txt']);
	expect(await axeFindings(page)).toEqual([]);
});

test('a long list comes page by page, and by purpose; the purposes are those of the API', async () => {
	await Promise.all(Array.from({ length: 120 }, (_, index) => site.api.upload(`note ${index}.txt`, `note ${index}`)));
	const { page } = await site.open('files');
	await page.getByText('100 files loaded').waitFor();
	const { data } = await site.api.get<{ data: unknown[] }>('/v1/files');
	await page.getByRole('button', { name: 'Load more' }).click();
	await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
	expect(await page.locator('.table th a').count()).toBe(data.length);
	await page.locator('.filter').getByLabel('Purpose').selectOption('vision');
	await page.locator('.table th a').nth(2).waitFor({ state: 'detached' });
	const document = await site.api.get<{ components: { schemas: Record<string, unknown> } }>('/openapi.json');
	const { properties } = document.components.schemas.FileCreate as { properties: { purpose: { enum: string[] } } };
	const options = await page
		.getByRole('form', { name: 'Upload files' })
		.getByLabel('Purpose')
		.locator('option')
		.allInnerTexts();
	expect(options.toSorted()).toEqual(properties.purpose.enum.toSorted());
});

test('an upload shows its progress and is stopped', async () => {
	const { page } = await site.open('files');
	const session = await page.context().newCDPSession(page);
	await session.send('Network.enable');
	const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
	await session.send('Network.emulateNetworkConditions', slow);
	const large = { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(3_000_000, 7) };
	await page.getByLabel('Files', { exact: true }).setInputFiles(large);
	await page.getByRole('button', { name: 'Upload' }).click();
	const bar = page.getByLabel('Upload of large.bin');
	await expect
		.poll(() => page.evaluate('(document.querySelector("progress")?.value ?? 0) > 3'), { timeout: 20_000 })
		.toBe(true);
	await page.getByRole('button', { name: 'Stop' }).click();
	await bar.waitFor({ state: 'detached' });
	const { data } = await site.api.get<{ data: { filename: string }[] }>('/v1/files');
	expect(data.map(({ filename }) => filename)).not.toContain('large.bin');
});
