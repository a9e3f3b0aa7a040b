import { beforeAll, describe, expect, it } from 'vitest';
import { type Font, loadFont } from '../../src/scene/font.ts';
import { createRasterizer, type Rasterizer } from '../../src/scene/raster.ts';
import { layOutTitle, titleBand, titleSize } from '../../src/video/title.ts';

let font: Font;
let rasterize: Rasterizer;
beforeAll(async () => {
	font = await loadFont();
	rasterize = await createRasterizer(font);
});

const frame = { width: 640, height: 480 };

describe('a title', () => {
	it('shows a short prompt as it is', () => {
		const title = layOutTitle('A lighthouse at dusk', font, 30);
		expect(title).toEqual({
			lines: ['A lighthouse at dusk'],
			scale: 1,
			shortened: false,
			incomplete: false,
		});
	});

	it('breaks lines evenly and within the width', () => {
		const { lines } = layOutTitle('Desert with cactus at noon', font, 11);
		expect(lines).toEqual(['Desert with', 'cactus at noon']);
		for (const line of lines) expect(font.measure(line)).toBeLessThanOrEqual(11);
	});

	it('ends a prompt that does not fit with an ellipsis after four lines of smaller type', () => {
		const title = layOutTitle('the quick brown fox jumps over the lazy dog '.repeat(700), font, 14);
		expect(title.lines).toHaveLength(4);
		expect(title.shortened).toBe(true);
		expect(title.scale).toBeLessThan(1);
		expect(title.lines[3]).toMatch(/\w…$/);
		for (const line of title.lines) {
			expect(font.measure(line) * title.scale).toBeLessThanOrEqual(14);
		}
	});

	it('sets a longer prompt smaller instead of leaving words out', () => {
		const prompt = 'A majestic dragon flying over a castle while the sun sets behind volcanic peaks';
		const title = layOutTitle(prompt, font, 14);
		expect(title).toMatchObject({ shortened: false });
		expect(title.lines.join(' ')).toBe(prompt);
		expect(title.scale).toBeLessThan(1);
	});

	it.each([
		[640, 480],
		[1792, 1024],
		[720, 1280],
		[160, 96],
	])('takes whole blocks and at most half of a frame of %d by %d', (width, height) => {
		const title = layOutTitle('word '.repeat(900), font, (width * 0.9) / titleSize(width, height));
		const band = titleBand(title, font, { width, height });
		expect(band?.y).toBeGreaterThanOrEqual(height / 2);
		expect((band?.y ?? 1) % 16).toBe(height % 16);
		const { data, ...size } = rasterize(band?.svg ?? '');
		expect(size).toEqual({ width, height });
		const below = data.subarray((band?.y ?? 0) * width * 4);
		expect(below.every((part, i) => i % 4 !== 3 || part === 255)).toBe(true);
	});

	it('cuts a word that is wider than a line', () => {
		const title = layOutTitle('x'.repeat(32_000), font, 14);
		expect(title).toMatchObject({ shortened: true, incomplete: false });
		for (const line of title.lines) {
			expect(font.measure(line) * title.scale).toBeLessThanOrEqual(14);
		}
	});

	it('leaves out characters that the typeface lacks', () => {
		const title = layOutTitle('Moon 🚀 over 東京 tower', font, 30);
		expect(title).toMatchObject({ lines: ['Moon over tower'], shortened: false, incomplete: true });
	});

	it('draws nothing when no character is left', () => {
		const title = layOutTitle('猫🚀', font, 30);
		expect(title.lines).toEqual([]);
		expect(titleBand(title, font, frame)).toBeUndefined();
	});

	it.each([
		['XML', `</text><image href="file:///etc/passwd"/>&lt;<![CDATA[ "'`],
		['an entity bomb', '<!DOCTYPE x [<!ENTITY a "aaaa">]>&a;&a;'],
		['control characters', 'a\u0000b\u0008c\u001bd\u007fe\ufffef'],
		['lone surrogates', 'x\ud800y\udfffz'],
		['right-to-left text with overrides', '\u202eשלום עולם مرحبا\u202c abc'],
		['emoji sequences', '👩‍👩‍👧‍👦 🏳️‍🌈 family'],
		['combining marks', `Z${'\u0301'.repeat(500)}algo`],
	])('draws %s without failing', (_name, prompt) => {
		const title = layOutTitle(prompt, font, 16);
		const placed = titleBand(title, font, frame);
		expect(title.lines.length).toBeGreaterThan(0);
		expect(placed).toBeDefined();
		const { width, height, data } = rasterize(placed?.svg ?? '');
		expect(data).toHaveLength(width * height * 4);
		expect(data.some((part) => part > 220)).toBe(true);
	});
});
