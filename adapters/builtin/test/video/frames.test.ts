import { describe, expect, it } from 'vitest';
import { brightnessAt, planPath, viewAt } from '../../src/video/camera.ts';
import { convertFrame, type Film, paintFrame } from '../../src/video/frames.ts';
import { createLayer, layerOf } from '../../src/video/layer.ts';

const size = { width: 32, height: 32 };
const still = planPath('still', 1);

/** A picture of one colour. */
function solid(width: number, height: number, color: readonly number[]) {
	const data = new Uint8Array(width * height * 4);
	for (let at = 0; at < data.length; at++) data[at] = color[at % 4] as number;
	return { width, height, data };
}

function paint(film: Film, index = 0): Uint8Array {
	const pixels = new Int32Array(film.width * film.height);
	paintFrame(film, index, pixels);
	return new Uint8Array(pixels.buffer);
}

describe('the camera', () => {
	it('moves as the prompt says', () => {
		expect(planPath('zoom in on a castle', 1)).toMatchObject({ from: { zoom: 1.02 }, to: { zoom: 1.22 } });
		expect(planPath('zoom out', 1)).toMatchObject({ from: { zoom: 1.22 }, to: { zoom: 1.02 } });
		expect(planPath('pan slowly to the left', 1)).toMatchObject({ from: { x: 1 }, to: { x: -1 } });
		expect(planPath('the camera pans right', 1)).toMatchObject({ from: { x: -1 }, to: { x: 1 } });
		expect(planPath('tilt up', 1)).toMatchObject({ from: { y: 1 }, to: { y: -1 } });
		expect(planPath('pan down', 1)).toMatchObject({ from: { y: -1 }, to: { y: 1 } });
	});

	it('does not move in a still', () => {
		expect(viewAt(still, 0)).toEqual(viewAt(still, 1));
	});

	it('moves by the seed when the prompt names no movement', () => {
		expect(planPath('a castle', 1)).toEqual(planPath('a castle', 1));
		expect(planPath('a castle', 1)).not.toEqual(planPath('a castle', 2));
	});

	it('fades in and out', () => {
		const path = planPath('still, fade in and fade out', 1);
		expect([0, 12, 24, 47].map((index) => brightnessAt(path, index, 48))).toEqual([0, 1, 1, 0]);
		expect([0, 47].map((index) => brightnessAt(still, index, 48))).toEqual([1, 1]);
	});
});

describe('a frame', () => {
	it('keeps the colour of a picture, and is white behind transparent pixels', () => {
		const video = { ...size, frames: 2, path: still, layers: [layerOf(solid(40, 40, [30, 90, 200, 255]))] };
		expect([...paint(video).subarray(0, 4)]).toEqual([30, 90, 200, 255]);
		const clear = { ...video, layers: [layerOf(solid(40, 40, [30, 90, 200, 0]))] };
		expect([...paint(clear).subarray(0, 4)]).toEqual([255, 255, 255, 255]);
	});

	it('shows the layers behind half transparent ones', () => {
		const [back, front] = [solid(40, 40, [0, 0, 200, 255]), solid(40, 40, [100, 0, 0, 128])];
		const layers = [back, front].map((picture) => createLayer(picture, { depth: 1 }));
		const [red, , blue, alpha] = paint({ ...size, frames: 2, path: still, layers });
		expect(red).toBe(100);
		expect(Math.abs((blue as number) - 100)).toBeLessThanOrEqual(2);
		expect(alpha).toBe(255);
	});

	it('is covered completely by an endless layer', () => {
		const drift = { x: 3, y: 5 };
		const endless = createLayer(solid(32, 32, [9, 8, 7, 255]), { depth: 0, drift, isEndless: true });
		const film = { ...size, frames: 40, path: still, layers: [layerOf(solid(40, 40, [255, 0, 0, 255])), endless] };
		expect(new Set(paint(film, 17))).toEqual(new Set([9, 8, 7, 255]));
	});

	it('becomes YUV of BT.709 in limited range, and is black when faded out', () => {
		const film = { ...size, frames: 48, path: planPath('still, fade in', 1), layers: [] };
		const white = new Int32Array(32 * 32).fill(-1);
		const planes = new Uint8Array(32 * 32 * 1.5);
		convertFrame(film, 24, white, planes);
		expect([planes[0], planes[32 * 32], planes[32 * 40]]).toEqual([235, 128, 128]);
		convertFrame(film, 0, white, planes);
		expect([planes[0], planes[32 * 32], planes[32 * 40]]).toEqual([16, 128, 128]);
	});
});
