import { describe, expect, test } from 'vitest';
import { deflatedRepeat, zipOf, zipOfFiles } from '../../../../../test/support/zip.ts';
import { readDocument } from '../../../src/read.ts';

const texts = async (bytes: Uint8Array) => (await readDocument(bytes)).pages?.map(({ text }) => text);

describe('a zip file', () => {
	test('has a page for each of its files, of any type', async () => {
		const file = zipOfFiles({
			'notes/a.txt': 'a text',
			'table.csv': 'a,b\n1,2\n',
			'page.html': '<html><p>one<p>two</html>',
		});
		expect(await texts(file)).toEqual([
			'--- notes/a.txt ---\na text',
			'--- table.csv ---\na\tb\n1\t2',
			'--- page.html ---\none\n\ntwo',
		]);
	});

	test('says why a file in it cannot be read, and reads the others', async () => {
		const file = zipOf([
			{ name: 'sound.wav', content: 'RIFF\0\0\0\0WAVE\0\0\0\0' },
			{ name: 'locked.txt', content: 'x', isEncrypted: true },
			{ name: 'old.ppt', content: Buffer.from('d0cf11e0a1b11ae1', 'hex') },
			{ name: 'inner.zip', content: zipOfFiles({ 'a.txt': 'deep' }) },
			{ name: 'good.txt', content: 'good' },
		]);
		expect(await texts(file)).toEqual([
			'--- sound.wav ---\n[No text can be read from a file of this format.]',
			'--- locked.txt ---\n[The file needs a password to open.]',
			expect.stringMatching(/^--- old\.ppt ---\n\[.+\]$/),
			'--- inner.zip ---\n[An archive within another file is not opened.]',
			'--- good.txt ---\ngood',
		]);
	});

	test('is rejected with the first error when none of its files can be read', async () => {
		const file = zipOf([{ name: 'a.txt', content: 'x', isEncrypted: true }]);
		await expect(readDocument(file)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test('has no pages when it is empty', async () => {
		expect(await texts(zipOf([]))).toEqual([]);
	});

	test('has only the requested pages', async () => {
		const file = zipOfFiles({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
		const { pages, pageCount } = await readDocument(file, { pages: [{ first: 2, last: 2 }] });
		expect(pages).toEqual([{ page: 2, text: '--- b.txt ---\nb' }]);
		expect(pageCount).toBe(3);
	});

	test('has names without control characters and bidirectional overrides, and no system files', async () => {
		const file = zipOfFiles({ 'a\n\u202Etxt.exe': 'x', '__MACOSX/._a': 'y' });
		expect(await texts(file)).toEqual(['--- a txt.exe ---\nx']);
	});

	test('is rejected when it decompresses beyond the limit', async () => {
		const packed = deflatedRepeat('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 400_000);
		const file = zipOf([
			{ name: 'good.txt', content: 'good' },
			{ name: 'a.txt', packed, size: 10 },
		]);
		await expect(readDocument(file)).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
	});
});
