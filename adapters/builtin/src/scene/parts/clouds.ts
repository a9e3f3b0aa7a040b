import type { Rgb } from '../color.ts';
import { fractalNoise, sampleField } from '../noise.ts';
import type { Pixels } from '../raster.ts';
import type { Canvas, SceneItem } from './canvas.ts';

/** A band of clouds, fog or smoke. */
export interface CloudBand {
	/** Top and height of the band in the frame, in pixels. */
	readonly y: number;
	readonly height: number;
	/** Share of the band that is covered, 0 to 1. */
	readonly cover: number;
	/** How soft the borders are: 0.08 is a heap of cotton, 0.4 a veil. */
	readonly softness: number;
	/** Cells per period: high values make small clouds. */
	readonly grain: number;
	/** How flat: 1 is round, 3 stretched sideways. */
	readonly stretch: number;
	readonly opacity: number;
	readonly light: Rgb;
	readonly shade: Rgb;
	readonly dx: number;
	readonly seed: number;
	/** Fades to nothing at top and bottom, stays solid at the bottom, or ends in heaps at the top as well, like clouds seen from above. */
	readonly profile: 'band' | 'floor' | 'sea';
}

const SCALE = 4;

/** Makes a band of clouds that repeats sideways, lit from above. */
export function cloudItem(canvas: Canvas, band: CloudBand): SceneItem {
	const width = canvas.period;
	const height = Math.round(band.height / 2) * 2;
	return {
		kind: 'pixels',
		paint: (columns = width) => cloudPixels(width, height, band, Math.min(columns, width)),
		width,
		wraps: true,
		travel: { x: 0, y: Math.round(band.y), dx: band.dx },
	};
}

function cloudPixels(width: number, height: number, band: CloudBand, columns: number): Pixels {
	const size = { width: Math.ceil(width / SCALE), height: Math.ceil(height / SCALE) };
	const rows = Math.max(2, Math.round((band.grain * height * band.stretch) / width));
	const noise = fractalNoise(size, { x: band.grain, y: rows }, 5, band.seed);
	const alpha = new Float32Array(size.width * size.height);
	const shine = new Float32Array(alpha.length);
	const edge = 0.68 - band.cover * 0.36;
	for (let y = 0; y < size.height; y++) {
		const t = y / size.height;
		const room = band.profile === 'band' ? Math.sin(Math.PI * t) ** 0.7 : Math.min(1.4, t * 2.6);
		// Thick clouds would end in a straight line at the borders of their band.
		const border = band.profile === 'band' ? smoothstep(Math.min(t, 1 - t) * 5) : 1;
		// A sea of clouds would be cut off at the top: only the shape of its heaps may end it.
		const lack = band.profile !== 'sea' ? 0 : (1 - smoothstep(t * 5)) * 0.34;
		for (let x = 0; x < size.width; x++) {
			const i = y * size.width + x;
			const mass = (noise.data[i] as number) - (1 - room) * 0.34 - lack;
			const above = sampleField(noise, x - 2, y - size.height * 0.045 - 2);
			alpha[i] = smoothstep((mass - edge) / band.softness) * band.opacity * border;
			shine[i] = Math.min(1, Math.max(0, 0.62 + ((noise.data[i] as number) - above) * 5.5));
		}
	}
	const data = new Uint8ClampedArray(columns * height * 4);
	const cover = { ...size, data: alpha };
	const lit = { ...size, data: shine };
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < columns; x++) {
			const [u, v] = [(x * size.width) / width, y / SCALE];
			const a = sampleField(cover, u, v);
			if (a < 0.004) continue;
			const s = sampleField(lit, u, v);
			const i = (y * columns + x) * 4;
			for (let k = 0; k < 3; k++) {
				const [dark, bright] = [band.shade[k] as number, band.light[k] as number];
				data[i + k] = (dark + (bright - dark) * s) * a;
			}
			data[i + 3] = a * 255;
		}
	}
	return { width: columns, height, data };
}

function smoothstep(t: number): number {
	const c = Math.min(1, Math.max(0, t));
	return c * c * (3 - 2 * c);
}
