import { mix, type Rgb, rgb } from '../color.ts';
import { discStamp, leafStamp, ringStamp, type Stamp, type Swarm, streakStamp, wingStamp } from '../particles.ts';
import type { Canvas, SceneItem } from './canvas.ts';
import { type CloudBand, cloudItem } from './clouds.ts';
import { aurora, fireworks } from './lights.ts';

/** Clouds and northern lights: what lies between the sky and the land. */
export function skyItems(canvas: Canvas): SceneItem[] {
	const { plan } = canvas;
	const { setting, weather, elements } = plan;
	if (setting === 'space' || setting === 'underwater' || setting === 'abstract') return [];
	const items: SceneItem[] = elements.includes('fireworks') ? fireworks(canvas) : [];
	if (elements.includes('aurora')) items.push(aurora(canvas, 0), aurora(canvas, 1));
	if (plan.without?.includes('clouds')) return items;
	if (setting === 'sky') return [...items, ...cloudSea(canvas)];
	if (weather === 'clear') items.push(clouds(canvas, 0.18, 0.3, 0.03));
	if (weather === 'clouds') items.push(clouds(canvas, 0.34, 0.5, 0.02), clouds(canvas, 0.5, 0.9, 0.1));
	// Heavy clouds would hide what was asked for.
	if (elements.includes('aurora')) return items;
	if (weather === 'rain' || weather === 'storm' || weather === 'snow') {
		items.push(clouds(canvas, 0.9, 0.4, -0.12), clouds(canvas, 0.75, 1, -0.06));
	}
	if (weather === 'fog') items.push(clouds(canvas, 0.6, 0.4, 0));
	return items;
}

/** Birds, rain, snow, sparks, leaves: what moves before the land. */
export function airItems(canvas: Canvas): SceneItem[] {
	const { plan } = canvas;
	const has = new Set(plan.elements);
	const swarms: Swarm[] = [];
	if (has.has('birds')) swarms.push(birds(canvas));
	if (has.has('fire')) swarms.push(embers(canvas));
	if (has.has('fireflies')) swarms.push(fireflies(canvas));
	if (has.has('petals')) swarms.push(...falling(canvas, [rgb('#f7b7c9'), plan.palette.accent], 0.011, 22));
	if (has.has('leaves')) swarms.push(...falling(canvas, [rgb('#d9772b'), rgb('#b8442a'), rgb('#e0a93a')], 0.017, 14));
	if (has.has('bubbles')) swarms.push(bubbles(canvas));
	if (plan.weather === 'rain') swarms.push(...rain(canvas, 1));
	if (plan.weather === 'storm') swarms.push(...rain(canvas, 2));
	if (plan.weather === 'snow') swarms.push(...snow(canvas));
	const items = swarms.map((swarm): SceneItem => ({ kind: 'swarm', swarm }));
	return plan.weather === 'fog' ? [fog(canvas), ...items] : items;
}

function clouds(canvas: Canvas, cover: number, near: number, at: number): SceneItem {
	const { height, unit, plan, details, drift } = canvas;
	const wind = plan.pan === 0 ? 0 : unit * 0.0007 * Math.sign(drift || 1);
	return cloudItem(canvas, {
		y: height * at,
		height: height * plan.horizon * (0.55 + near * 0.2),
		cover,
		softness: 0.2,
		grain: near > 0.7 ? 4 : 6,
		stretch: 1.7,
		opacity: 0.92,
		light: plan.palette.cloud,
		shade: plan.palette.cloudShade,
		dx: (drift * 0.2 + wind) * near,
		seed: details.int(0, 1e9),
		profile: 'band',
	});
}

/** A veil before the land. */
function fog(canvas: Canvas): SceneItem {
	const { height, unit, plan, details, drift } = canvas;
	return cloudItem(canvas, {
		y: height * (plan.horizon - 0.16),
		height: height * 0.5,
		cover: 0.85,
		softness: 0.42,
		grain: 3,
		stretch: 2.2,
		opacity: 0.72,
		light: mix(plan.palette.sky[3], plan.palette.cloud, 0.5),
		shade: mix(plan.palette.sky[3], plan.palette.sky[2], 0.5),
		dx: drift * 0.6 + unit * 0.0005,
		seed: details.int(0, 1e9),
		profile: 'band',
	});
}

/** Clouds seen from above, in three distances. */
function cloudSea(canvas: Canvas): SceneItem[] {
	const { height, plan, details, drift } = canvas;
	const band = (at: number, deep: number, near: number): CloudBand => ({
		y: height * at,
		height: height * deep,
		cover: 0.95,
		softness: 0.16,
		grain: Math.round(7 - near * 3),
		stretch: 1.5,
		opacity: 1,
		light: mix(plan.palette.cloud, plan.palette.sky[3], 0.5 - near * 0.5),
		shade: mix(plan.palette.cloudShade, plan.palette.sky[3], 0.6 - near * 0.5),
		dx: drift * (0.3 + near * 1.2),
		seed: details.int(0, 1e9),
		profile: 'sea',
	});
	return [
		clouds(canvas, 0.25, 0.3, 0.06),
		cloudItem(canvas, band(0.42, 0.58, 0)),
		cloudItem(canvas, band(0.56, 0.44, 0.5)),
		cloudItem(canvas, band(0.74, 0.28, 1)),
	];
}

function whole({ width, height, unit }: Canvas): Swarm['area'] {
	const margin = unit * 0.06;
	return { x: -margin, y: -margin, width: width + margin * 2, height: height + margin * 2 };
}

function birds(canvas: Canvas): Swarm {
	const { width, height, unit, plan } = canvas;
	const span = unit * 0.034;
	return {
		count: 7,
		stamps: [0.9, 0.45, -0.1, -0.5, -0.1, 0.45].map((lift) => wingStamp(span, lift)),
		flap: 4,
		color: mix(plan.palette.ink, plan.palette.sky[1], 0.2),
		area: { x: -span, y: height * 0.1, width: width + span * 2, height: height * 0.22 },
		speed: { x: (plan.pan < 0 ? -1 : 1) * unit * 0.0018, y: 0 },
		spread: 0.12,
		sway: { x: unit * 0.006, y: unit * 0.008, period: 80 },
		opacity: 0.9,
		seed: plan.detailSeed ^ 0xb12d,
	};
}

function rain(canvas: Canvas, force: number): Swarm[] {
	const { unit, plan } = canvas;
	return [0.7, 1].map((near) => {
		const long = unit * 0.05 * near * (0.8 + force * 0.2);
		return {
			count: Math.round(70 * force * (1.5 - near * 0.6)),
			stamps: [streakStamp(long, unit * 0.0021 * near, -0.12 * force)],
			color: mix(plan.palette.sky[3], [255, 255, 255], 0.5),
			area: whole(canvas),
			speed: { x: -unit * 0.0036 * force * near, y: unit * 0.03 * near },
			spread: 0.15,
			opacity: 0.42 * near,
			seed: plan.detailSeed ^ Math.round(near * 100),
		};
	});
}

function snow(canvas: Canvas): Swarm[] {
	const { unit, plan } = canvas;
	return [0.55, 1].map((near) => ({
		count: Math.round(120 / near),
		stamps: [0.0026, 0.0038, 0.005].map((r) => discStamp(Math.max(1.1, unit * r * near), 0.35)),
		color: [250, 252, 255] as Rgb,
		area: whole(canvas),
		speed: { x: -unit * 0.0005 * near, y: unit * 0.0024 * near },
		spread: 0.35,
		sway: { x: unit * 0.012, y: 0, period: 70 },
		opacity: 0.7 + near * 0.2,
		seed: plan.detailSeed ^ Math.round(near * 1000),
	}));
}

function embers(canvas: Canvas): Swarm {
	const { width, height, unit, plan } = canvas;
	return {
		count: 60,
		stamps: [discStamp(unit * 0.0032), discStamp(unit * 0.005)],
		color: rgb('#ffb04a'),
		area: { x: 0, y: height * 0.25, width, height: height * 0.7 },
		speed: { x: unit * 0.0004, y: -unit * 0.0022 },
		spread: 0.5,
		sway: { x: unit * 0.014, y: 0, period: 46 },
		opacity: 0.95,
		pulse: { depth: 0.8, period: 20 },
		seed: plan.detailSeed ^ 0xf12e,
	};
}

function fireflies(canvas: Canvas): Swarm {
	const { width, height, unit, plan } = canvas;
	return {
		count: 34,
		stamps: [discStamp(unit * 0.011, 0), discStamp(unit * 0.007, 0.1)],
		color: mix(rgb('#fff6a0'), plan.palette.accent, 0.12),
		area: { x: 0, y: height * 0.42, width, height: height * 0.5 },
		speed: { x: unit * 0.0002, y: -unit * 0.0001 },
		spread: 1,
		sway: { x: unit * 0.03, y: unit * 0.02, period: 110 },
		opacity: 1,
		pulse: { depth: 1, period: 48 },
		seed: plan.detailSeed ^ 0xf1e5,
	};
}

function falling(canvas: Canvas, colors: readonly Rgb[], size: number, count: number): Swarm[] {
	const { unit, plan } = canvas;
	const angles = [0.3, 1.1, 1.9, 2.6];
	const stamps: Stamp[] = angles.map((angle) => leafStamp(unit * size, angle));
	return colors.map((color, i) => ({
		count,
		stamps,
		flap: 9,
		color,
		area: whole(canvas),
		speed: { x: -unit * 0.0007, y: unit * 0.0019 },
		spread: 0.4,
		sway: { x: unit * 0.022, y: unit * 0.006, period: 64 },
		opacity: 0.95,
		seed: plan.detailSeed ^ (i + 71),
	}));
}

function bubbles(canvas: Canvas): Swarm {
	const { unit, plan } = canvas;
	return {
		count: 34,
		stamps: [0.004, 0.007, 0.012].map((r) => ringStamp(unit * r)),
		color: mix(plan.palette.light, [255, 255, 255], 0.5),
		area: whole(canvas),
		speed: { x: 0, y: -unit * 0.0019 },
		spread: 0.4,
		sway: { x: unit * 0.008, y: 0, period: 44 },
		opacity: 0.75,
		seed: plan.detailSeed ^ 0xbbb1,
	};
}
