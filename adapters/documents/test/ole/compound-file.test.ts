import { describe, expect, test } from 'vitest';
import { openCompoundFile } from '../../src/ole/compound-file.ts';
import { compoundOf } from './compound.ts';

const unreadable = expect.objectContaining({ code: 'E_DOCUMENT_UNREADABLE' });

describe('an OLE2 compound file', () => {
	const long = 'a long text, '.repeat(200);
	const file = compoundOf({
		First: 'one',
		Long: long,
		Folder: { Inner: 'two', Deeper: { Last: 'three' } },
	});

	test('gives its streams, whole', () => {
		const root = openCompoundFile(file);
		expect(root.names).toEqual(['First', 'Long']);
		expect(String(root.read('First'))).toBe('one');
		expect(String(root.read('Long'))).toBe(long);
		expect(root.read('Other')).toBeUndefined();
	});

	test('gives the streams of its folders', () => {
		const folder = openCompoundFile(file).storages.get('Folder');
		expect(String(folder?.read('Inner'))).toBe('two');
		expect(String(folder?.storages.get('Deeper')?.read('Last'))).toBe('three');
	});

	test('with a table of more than one sector is read', () => {
		const big = 'x'.repeat(200_000);
		expect(openCompoundFile(compoundOf({ big })).read('big')?.length).toBe(200_000);
	});

	test('whose chain turns in a circle is refused', () => {
		const broken = Buffer.from(file);
		const table = 512 * (1 + broken.readUInt32LE(76));
		const directory = broken.readUInt32LE(48);
		broken.writeUInt32LE(directory, table + directory * 4);
		expect(() => openCompoundFile(broken)).toThrow(unreadable);
	});

	test('whose folder holds itself is refused', () => {
		const broken = Buffer.from(file);
		const directory = 512 * (1 + broken.readUInt32LE(48));
		broken.writeUInt32LE(1, directory + 128 + 68);
		expect(() => openCompoundFile(broken)).toThrow(unreadable);
	});

	test.each([30, 48, 76])('with a wrong number at byte %i of its header is refused', (at) => {
		const broken = Buffer.from(file);
		broken.writeUInt32LE(0x00_ff_ff_ff, at);
		expect(() => openCompoundFile(broken).read('Long')).toThrow(unreadable);
	});

	test.each([0, 8, 511, 600, 1_500])('of which only %i bytes are there is refused', (length) => {
		expect(() => openCompoundFile(file.subarray(0, length)).read('Long')).toThrow(unreadable);
	});
});
