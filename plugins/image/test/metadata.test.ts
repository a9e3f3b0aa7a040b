import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withoutMetadata } from '../src/work/metadata.ts';

const xmp =
	'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>';

const background = { width: 40, height: 30, channels: 3, background: '#c04020' } as const;

/** The function under test, on a copy: it works in place. */
function stripped(file: Uint8Array, format: 'png' | 'jpeg' | 'webp'): Buffer {
	return Buffer.from(withoutMetadata(Buffer.from(file), format));
}

describe.each(['png', 'jpeg', 'webp'] as const)('a %s', (format) => {
	const create = () => sharp({ create: background });

	it('loses Exif and XMP, and keeps its pixels', async () => {
		const written = create().withExif({ IFD0: { Make: 'prompt: A red boat' } });
		const file = await written.withXmp(xmp).toFormat(format).toBuffer();
		expect(file.includes('A red boat')).toBe(true);
		const body = stripped(file, format);
		expect(body.includes('A red boat')).toBe(false);
		const { exif, xmp: told, ...facts } = await sharp(body).metadata();
		expect([exif, told, facts]).toMatchObject([undefined, undefined, { format, width: 40, height: 30 }]);
		expect(await sharp(body).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
	});

	it('without metadata stays as it is', async () => {
		const file = await create().toFormat(format).toBuffer();
		expect(stripped(file, format)).toEqual(file);
	});

	it('that is cut off at any byte raises no error', async () => {
		const file = await create().withXmp(xmp).toFormat(format).toBuffer();
		for (let end = 0; end < file.length; end++) stripped(file.subarray(0, end), format);
	});
});

it.each(['tEXt', 'zTXt', 'iTXt'])('removes exactly the %s chunks of a PNG', async (type) => {
	const file = await sharp({ create: background }).png().toBuffer();
	const text = Buffer.from('prompt\0A red boat');
	const chunk = Buffer.alloc(12 + text.length);
	chunk.writeUInt32BE(text.length);
	chunk.write(type, 4, 'latin1');
	chunk.set(text, 8);
	// After the signature and the header.
	const place = 8 + 25;
	const withTexts = Buffer.concat([file.subarray(0, place), chunk, chunk, file.subarray(place)]);
	expect(stripped(withTexts, 'png')).toEqual(file);
	const atEnd = Buffer.concat([file.subarray(0, -12), chunk, file.subarray(-12)]);
	expect(stripped(atEnd, 'png')).toEqual(file);
});

it('moves each byte of a PNG once, however many chunks are removed', async () => {
	const file = await sharp({ create: background }).png().toBuffer();
	const chunk = Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1');
	const end = file.subarray(-12);
	const many = Buffer.concat([file.subarray(0, -12), ...Array.from({ length: 400 }, () => chunk), end]);
	const move = vi.spyOn(Buffer.prototype, 'copyWithin');
	onTestFinished(() => move.mockRestore());
	expect(stripped(many, 'png')).toEqual(file);
	const moved = move.mock.calls.reduce((sum, [, from = 0, to = 0]) => sum + Number(to) - Number(from), 0);
	expect(moved).toBeLessThanOrEqual(file.length);
});
