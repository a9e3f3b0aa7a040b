import { type Rgb, rgb } from '../color.ts';
import { fractalNoise, sampleField } from '../noise.ts';
import { discStamp, type Swarm } from '../particles.ts';
import type { Pixels } from '../raster.ts';
import type { Canvas, SceneItem } from './canvas.ts';

/** Curtains of light that drift along. */
export function aurora(canvas: Canvas, index: number): SceneItem {
	const { height, period, plan, details, unit } = canvas;
	const tall = Math.round(height * 0.24) * 2;
	const [seed, phase] = [details.int(0, 1e9), details.next() * 7];
	const dx = plan.pan === 0 ? 0 : unit * (index === 0 ? 0.0008 : -0.0006);
	const travel = { x: 0, y: Math.round(height * (0.02 + index * 0.05)), dx };
	const colors: readonly [Rgb, Rgb] = index === 0 ? [rgb('#4dffb0'), rgb('#8a5cf0')] : [rgb('#5ce0ff'), rgb('#d05ce0')];
	return {
		kind: 'pixels',
		paint: (columns = period) => curtain(period, tall, colors, seed, phase, columns),
		width: period,
		wraps: true,
		travel,
	};
}

/** Rays that stand on a wavy line and are brightest at their foot. */
function curtain(
	width: number,
	height: number,
	[low, high]: readonly [Rgb, Rgb],
	seed: number,
	phase: number,
	columns: number,
): Pixels {
	const rays = fractalNoise({ width: 512, height: 2 }, { x: 24, y: 1 }, 4, seed);
	const data = new Uint8ClampedArray(columns * height * 4);
	for (let x = 0; x < columns; x++) {
		const turn = (x / width) * Math.PI * 2;
		const wave = 0.13 * Math.sin(turn * 2 + phase) + 0.06 * Math.sin(turn * 5 - phase);
		const foot = height * (0.72 + wave);
		const ray = sampleField(rays, (x / width) * 512, 0);
		const strength = Math.min(1, Math.max(0, ray * 1.7 - 0.35)) * 0.62;
		const reach = height * (0.25 + ray * 0.65);
		for (let y = Math.max(0, Math.floor(foot - reach)); y < height; y++) {
			const t = (foot - y) / reach;
			if (t < -0.06) break;
			const a = (t < 0 ? 1 + t / 0.06 : (1 - Math.min(1, t)) ** 1.6) * strength;
			const i = (y * columns + x) * 4;
			for (let k = 0; k < 3; k++) {
				const [p, q] = [low[k] as number, high[k] as number];
				data[i + k] = (p + (q - p) * Math.max(0, t)) * a;
			}
			data[i + 3] = a * 255;
		}
	}
	return { width: columns, height, data };
}

/** Bursts of sparks high in the sky, in three colours. */
export function fireworks(canvas: Canvas): SceneItem[] {
	const { width, height, unit, plan, details } = canvas;
	const colors = [rgb('#ffd166'), rgb('#ff6b8b'), rgb('#6bd5ff'), plan.palette.accent];
	return colors.map((color, i): SceneItem => {
		const swarm: Swarm = {
			count: 100,
			stamps: [discStamp(unit * 0.0068), discStamp(unit * 0.0046)],
			color,
			area: { x: width * 0.1, y: height * 0.08, width: width * 0.8, height: height * 0.3 },
			speed: { x: 0, y: 0 },
			spread: 0.6,
			opacity: 1,
			burst: { count: 2, reach: unit * 0.16, period: 40 + i * 5 },
			seed: details.int(0, 1e9),
		};
		return { kind: 'swarm', swarm };
	});
}
