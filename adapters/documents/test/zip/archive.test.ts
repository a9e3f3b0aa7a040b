import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { zipOf, zipOfFiles } from '../../../../test/support/zip.ts';
import { Budget, maxEntries, maxInflated } from '../../src/formats/budget.ts';
import { checkArchive, openArchive } from '../../src/zip/archive.ts';

const megabyte = 1_048_576;
const zeros = (bytes: number) => deflateRawSync(Buffer.alloc(bytes));

const open = (zip: Uint8Array, budget = new Budget()) => openArchive(zip, budget);
const code = async (work: Promise<unknown>) =>
	work.then(
		() => 'none',
		(error: { code?: string }) => error.code,
	);

describe('an archive', () => {
	test('returns its files by name, compressed or stored', async () => {
		const zip = zipOf([
			{ name: 'a.txt', content: 'packed' },
			{ name: 'dir/', content: '' },
			{ name: 'dir/b.txt', content: 'stored', isStored: true },
		]);
		const archive = await open(zip);
		expect(archive.entries.map(({ name }) => name)).toEqual(['a.txt', 'dir/b.txt']);
		expect(String(await archive.read('a.txt'))).toBe('packed');
		expect(String(await archive.read('dir/b.txt'))).toBe('stored');
		expect(await archive.read('c.txt')).toBeUndefined();
	});

	test('can be read from a view into a larger buffer', async () => {
		const zip = zipOfFiles({ a: 'inside' });
		const around = Buffer.concat([Buffer.alloc(100, 1), zip, Buffer.alloc(100, 1)]);
		const archive = await open(new Uint8Array(around.buffer, around.byteOffset + 100, zip.length));
		expect(String(await archive.read('a'))).toBe('inside');
	});

	test('finds names case-insensitively, the exact one first', async () => {
		const archive = await open(zipOfFiles({ 'Word/Document.xml': 'upper', 'word/x.xml': 'x' }));
		expect(archive.has('word/document.xml')).toBe(true);
		expect(String(await archive.read('word/document.xml'))).toBe('upper');
	});

	test('finds names with backslashes or a leading slash', async () => {
		const archive = await open(zipOfFiles({ 'word\\a.xml': 'a', '/word/b.xml': 'b' }));
		expect(String(await archive.read('word/a.xml'))).toBe('a');
		expect(String(await archive.read('word/b.xml'))).toBe('b');
	});

	test('keeps the first of two files with one name, and names with parent folders', async () => {
		const archive = await open(
			zipOf([
				{ name: 'a', content: 'first' },
				{ name: 'a', content: 'second' },
				{ name: '../../etc/passwd', content: 'harmless' },
			]),
		);
		expect(String(await archive.read('a'))).toBe('first');
		expect(String(await archive.read('../../etc/passwd'))).toBe('harmless');
	});

	test('subtracts decompressed bytes from the budget', async () => {
		const budget = new Budget();
		const archive = await open(zipOfFiles({ a: 'four', b: 'seven77' }), budget);
		await archive.read('a');
		await archive.read('b');
		expect(budget.inflatable).toBe(maxInflated - 11);
	});
});

describe('a hostile archive', () => {
	test('with more than a hundredfold compression is rejected after the first megabytes', async () => {
		const archive = await open(zipOf([{ name: 'bomb', packed: zeros(64 * megabyte), size: 9 }]));
		expect(await code(archive.read('bomb'))).toBe('E_DOCUMENT_TOO_LARGE');
	});

	test('with a bomb that is spread over many files is rejected at the same limit', async () => {
		const packed = zeros(4 * megabyte);
		const archive = await open(zipOf(Array.from({ length: 4 }, (_, index) => ({ name: `${index}`, packed }))));
		expect((await archive.read('0'))?.length).toBe(4 * megabyte);
		expect((await archive.read('1'))?.length).toBe(4 * megabyte);
		expect(await code(archive.read('2'))).toBe('E_DOCUMENT_TOO_LARGE');
	});

	test('with overlapping entries counts the bytes of each entry', async () => {
		const noise = Buffer.alloc(megabyte, 'abcdefghijklmnopqrstuvwxyz0123456789');
		const budget = new Budget();
		budget.inflate(maxInflated - 2.5 * megabyte);
		const archive = await open(
			zipOf([
				{ name: '0', content: noise, isStored: true },
				{ name: '1', sameAs: 0, isStored: true },
				{ name: '2', sameAs: 0, isStored: true },
			]),
			budget,
		);
		await archive.read('0');
		await archive.read('1');
		expect(await code(archive.read('2'))).toBe('E_DOCUMENT_TOO_LARGE');
	});

	test('with more entries than the budget is rejected before they are read', async () => {
		const entries = Array.from({ length: maxEntries + 1 }, (_, index) => ({ name: `${index}` }));
		expect(await code(open(zipOf(entries)))).toBe('E_DOCUMENT_TOO_LARGE');
	});

	test('with wrong sizes is read by its real content', async () => {
		const archive = await open(zipOf([{ name: 'a', content: 'hello', size: 2 ** 31 }]));
		expect(String(await archive.read('a'))).toBe('hello');
	});

	test('with encrypted files is rejected when one is read', async () => {
		const archive = await open(
			zipOf([
				{ name: 'open', content: 'text' },
				{ name: 'locked', content: 'text', isEncrypted: true },
			]),
		);
		expect(String(await archive.read('open'))).toBe('text');
		expect(await code(archive.read('locked'))).toBe('E_DOCUMENT_ENCRYPTED');
	});

	test.each([
		['nothing', Buffer.alloc(0)],
		['no directory', zipOfFiles({ a: 'text' }).subarray(0, -30)],
		['a directory beyond its end', zipOfFiles({ a: 'text' }).subarray(20)],
	])('with %s is unreadable', async (_, zip) => {
		expect(await code(open(zip))).toBe('E_DOCUMENT_UNREADABLE');
	});

	test('with damaged data or an unknown compression method is unreadable', async () => {
		const archive = await open(
			zipOf([
				{ name: 'cut', packed: deflateRawSync(Buffer.from('some text, some text')).subarray(0, 5) },
				{ name: 'noise', packed: Buffer.alloc(50, 0xff) },
				{ name: 'unknown', content: 'text', method: 14 },
			]),
		);
		expect(await code(archive.read('cut'))).toBe('E_DOCUMENT_UNREADABLE');
		expect(await code(archive.read('noise'))).toBe('E_DOCUMENT_UNREADABLE');
		expect(await code(archive.read('unknown'))).toBe('E_DOCUMENT_UNREADABLE');
	});
});

describe('the check of an archive', () => {
	const check = (zip: Uint8Array, budget = new Budget()) => code(checkArchive(zip, budget));

	test('accepts a valid archive, and counts its content', async () => {
		const budget = new Budget();
		const zip = zipOf([
			{ name: 'a', content: 'four' },
			{ name: 'dir/', content: '' },
			{ name: 'a', content: 'again' },
		]);
		expect(await check(zip, budget)).toBe('none');
		expect(budget.inflatable).toBe(maxInflated - 9);
	});

	test.each([
		['E_DOCUMENT_TOO_LARGE', 'is compressed too strongly', [{ name: 'a', packed: zeros(30 * megabyte), size: 5 }]],
		['E_DOCUMENT_ENCRYPTED', 'is encrypted', [{ name: 'a', content: 'x', isEncrypted: true }]],
		['E_DOCUMENT_ENCRYPTED', 'says so', [{ name: 'META-INF/manifest.xml', content: '<m:encryption-data/>' }]],
		['E_DOCUMENT_ENCRYPTED', 'is another archive', [{ name: 'encrypted-package', content: 'x' }]],
		['E_DOCUMENT_UNREADABLE', 'is damaged', [{ name: 'a', packed: Buffer.from('no deflate'), size: 5 }]],
	])('rejects with %s when one of its files %s', async (expected, _, entries) => {
		expect(await check(zipOf([{ name: 'sound', content: 'x' }, ...entries]))).toBe(expected);
	});
});
