import { describe, expect, it } from 'vitest';
import { cameraWords } from '../../src/scene/motion.ts';
import { createFrame, drawLayer, fadeFrame } from '../../src/video/compose.ts';
import { createLayer, solidFrom } from '../../src/video/layer.ts';
import { createPicturePainter, pictureFrom, planPath } from '../../src/video/picture.ts';
import { frameToRgba } from '../../src/video/still.ts';

/** A layer of one colour. `alpha` is 0 to 255. */
function plain(width: number, height: number, color: readonly number[], alpha: number, wraps = false) {
	const data = new Uint8Array(width * height * 4);
	for (let i = 0; i < data.length; i += 4) {
		data.set([...color.map((part) => Math.round((part * alpha) / 255)), alpha], i);
	}
	return createLayer({ width, height, data }, wraps);
}

describe('drawing a layer', () => {
	it('keeps its colour', () => {
		const frame = createFrame(32, 32);
		drawLayer(frame, plain(32, 32, [200, 60, 30], 255, true), 0, 0);
		const [r, g, b] = frameToRgba(frame).subarray(16 * 32 * 4);
		expect(Math.abs((r as number) - 200)).toBeLessThan(4);
		expect(Math.abs((g as number) - 60)).toBeLessThan(4);
		expect(Math.abs((b as number) - 30)).toBeLessThan(4);
	});

	it('mixes with what lies behind by its alpha', () => {
		const frame = createFrame(32, 32);
		drawLayer(frame, plain(32, 32, [0, 0, 0], 255), 0, 0);
		drawLayer(frame, plain(32, 32, [255, 255, 255], 128), 0, 0);
		expect(Math.abs((frameToRgba(frame)[4 * 500] as number) - 128)).toBeLessThan(4);
	});

	it('shares a pixel between two when it stands between them', () => {
		const frame = createFrame(32, 16);
		frame.y.fill(16);
		drawLayer(frame, plain(8, 16, [255, 255, 255], 255), 4.5, 0);
		const row = frame.y.subarray(0, 32);
		expect(row[3]).toBe(16);
		expect(row[4]).toBeGreaterThan(120);
		expect(row[4]).toBeLessThan(132);
		expect(row[6]).toBe(235);
		expect(row[12]).toBe(row[4]);
		expect(row[13]).toBe(16);
	});

	it('repeats a layer that wraps, wherever it starts, and clips all others', () => {
		const frame = createFrame(64, 16);
		for (const x of [-1000.3, -17.5, 0, 999.75]) {
			frame.y.fill(0);
			drawLayer(frame, plain(16, 16, [255, 255, 255], 255, true), x, 0);
			expect(frame.y.every((value) => value === 235)).toBe(true);
		}
		frame.y.fill(16);
		drawLayer(frame, plain(16, 16, [255, 255, 255], 255), -8, -8);
		drawLayer(frame, plain(16, 16, [255, 255, 255], 255), 60, 12);
		drawLayer(frame, plain(16, 16, [255, 255, 255], 255), 900, 0);
		expect(frame.y.filter((value) => value === 235)).toHaveLength(8 * 8 + 4 * 4);
	});

	it('knows from which row on a layer hides what is behind it', () => {
		const image = { width: 16, height: 16, data: new Uint8Array(16 * 16 * 4) };
		image.data.fill(255, 6 * 16 * 4);
		expect(solidFrom(createLayer(image, true))).toBe(0);
		image.data[2 * 16 * 4 + 3] = 255;
		expect(solidFrom(createLayer(image, true))).toBe(4);
		expect(solidFrom(createLayer(image, false))).toBe(14);
	});

	it('fades to black', () => {
		const frame = createFrame(16, 16);
		drawLayer(frame, plain(16, 16, [255, 200, 0], 255), 0, 0);
		fadeFrame(frame, 0);
		expect([frame.y[0], frame.u[0], frame.v[0]]).toEqual([16, 128, 128]);
	});
});

describe('a picture under a moving camera', () => {
	it('moves by parts of a pixel without a jump', () => {
		const [width, height] = [96, 64];
		const image = { width: 120, height: 80, data: new Uint8Array(120 * 80 * 4) };
		for (let i = 0; i < 120 * 80; i++) {
			image.data.set([(i % 120) * 2, (i % 120) * 2, (i % 120) * 2, 255], i * 4);
		}
		const path = planPath(cameraWords(['pan', 'right']), 1);
		const fade = { in: false, out: false };
		const paint = createPicturePainter(pictureFrom(image, { width, height, frames: 48, path, fade }));
		const frame = createFrame(width, height);
		const middle = Array.from({ length: 48 }, (_, i) => {
			paint(i, frame);
			return frame.y[32 * width + 48] as number;
		});
		const steps = middle.slice(1).map((value, i) => value - (middle[i] as number));
		expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
		expect(Math.max(...steps)).toBeLessThanOrEqual(2);
		expect((middle.at(-1) as number) - (middle[0] as number)).toBeGreaterThan(15);
	});
});
