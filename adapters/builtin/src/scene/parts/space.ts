import { adjust, hex, mix, type Rgb } from '../color.ts';
import { discStamp } from '../particles.ts';
import { type Canvas, n, type SceneItem } from './canvas.ts';
import { groundItem, rockyRidge } from './ground.ts';
import { floating, standing, stands } from './subjects.ts';

/** Stars in two depths, a planet, and now and then the ground of another one. */
export function space(canvas: Canvas): SceneItem[] {
	const { width, height, unit, plan, shapes, drift } = canvas;
	const radius = unit * shapes.range(0.14, 0.24);
	const landed = shapes.chance(0.45) || stands(canvas);
	const x = plan.light.x * width;
	const y = height * shapes.range(0.22, 0.38);
	return [
		drifting(canvas, 60, 0.0016, 0.25),
		planet(canvas, {
			x,
			y,
			radius,
			color: plan.palette.accent,
			dx: drift * 0.22,
			ring: shapes.chance(0.5),
		}),
		planet(canvas, {
			x: width - x,
			y: y + height * shapes.range(0.16, 0.26),
			radius: radius * 0.26,
			color: adjust(plan.palette.land, 60, 1, 0.12),
			dx: drift * 0.5,
			ring: false,
		}),
		drifting(canvas, 26, 0.0026, 0.9),
		...(landed ? [surface(canvas)] : []),
		...floating(canvas, height * 0.46),
	];
}

/** A globe, lit from one side. */
function planet(
	canvas: Canvas,
	globe: { x: number; y: number; radius: number; color: Rgb; dx: number; ring: boolean },
): SceneItem {
	const { shapes, frames, plan } = canvas;
	const { radius: r, color } = globe;
	const [wide, tall] = [Math.ceil(r * 2.3) * 2, Math.ceil(r * 1.1) * 2];
	const [cx, cy] = [wide / 2, tall / 2];
	let bands = '';
	for (let i = 0; i < 7; i++) {
		const at = cy + r * shapes.range(-0.85, 0.85);
		const tone = hex(adjust(color, shapes.range(-24, 24), 1, shapes.range(-0.12, 0.12)));
		bands += `<ellipse cx="${n(cx + shapes.range(-0.3, 0.3) * r)}" cy="${n(at)}" rx="${n(r * shapes.range(0.6, 1.3))}" ry="${n(r * shapes.range(0.04, 0.13))}" fill="${tone}" fill-opacity="0.7"/>`;
	}
	const ring = (half: string): string =>
		globe.ring
			? `<path d="M${n(cx - r * 2)} ${n(cy)}A${n(r * 2)} ${n(r * 0.42)} 0 0 ${half} ${n(cx + r * 2)} ${n(cy)}" fill="none" stroke="${hex(mix(color, plan.palette.light, 0.5))}" stroke-width="${n(r * 0.17)}" stroke-opacity="0.75" transform="rotate(-12 ${cx} ${cy})"/>`
			: '';
	const body = `
		<defs><radialGradient id="s" cx="0.32" cy="0.3" r="0.85"><stop offset="0" stop-color="#fff" stop-opacity="0.28"/>
		<stop offset="0.45" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#02030c" stop-opacity="0.88"/></radialGradient>
		<clipPath id="c"><circle cx="${cx}" cy="${cy}" r="${n(r)}"/></clipPath></defs>
		${ring('1')}<g clip-path="url(#c)"><circle cx="${cx}" cy="${cy}" r="${n(r)}" fill="${hex(color)}"/>${bands}
		<circle cx="${cx}" cy="${cy}" r="${n(r + 1)}" fill="url(#s)"/></g>${ring('0')}`;
	const start = globe.x - wide / 2 - (globe.dx * frames) / 2;
	const travel = { x: start, y: Math.round(globe.y - tall / 2), dx: globe.dx };
	return { kind: 'svg', drawing: { width: wide, height: tall, body }, wraps: false, travel };
}

/** Stars that are near enough to pass by. */
function drifting(canvas: Canvas, count: number, size: number, speed: number): SceneItem {
	const { width, height, unit, plan, drift } = canvas;
	const calm = plan.pan === 0 ? 0 : unit * 0.0006 * Math.sign(drift || 1);
	return {
		kind: 'swarm',
		swarm: {
			count,
			stamps: [discStamp(unit * size), discStamp(unit * size * 1.5)],
			color: mix(plan.palette.light, [255, 255, 255], 0.6),
			area: { x: -20, y: -20, width: width + 40, height: height + 40 },
			speed: { x: (drift + calm) * speed, y: unit * 0.0001 },
			spread: 0.3,
			opacity: 0.95,
			pulse: { depth: 0.6, period: 54 },
			seed: plan.detailSeed ^ count,
		},
	};
}

function surface(canvas: Canvas): SceneItem {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const { land, ink, sky } = plan.palette;
	const rise = unit * 0.1;
	const ridge = rockyRidge(shapes, period, rise, 7);
	const color = mix(land, sky[3], 0.2);
	return groundItem(canvas, {
		ridge,
		rise,
		base: height * 0.74,
		depth: height * 0.28,
		headroom: unit * 0.36,
		fill: [color, mix(ink, sky[0], 0.5)],
		dx: drift,
		behind: (line) => {
			const x = (((plan.stage * canvas.width - (drift * canvas.frames) / 2) % period) + period) % period;
			return standing(canvas, x, line(x) + unit * 0.02);
		},
		before: (line) =>
			Array.from({ length: 16 }, () => {
				const r = unit * shapes.range(0.01, 0.04);
				const x = shapes.range(r * 3, period - r * 3);
				const y = line(x) + shapes.range(0.06, 0.22) * height;
				return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(r * 2)}" ry="${n(r * 0.5)}" fill="#02030a" fill-opacity="0.25"/>`;
			}).join(''),
	});
}
