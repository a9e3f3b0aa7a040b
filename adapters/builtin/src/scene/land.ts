import { mix } from './palette.ts';
import { createNoise, createRandom } from './random.ts';
import { along, type Point, pathOf, ramp, repeat, type Stage, veil } from './stage.ts';

/** The colour of land at a distance: 0 is the horizon, 1 is at the viewer's feet. */
export function landTone({ palette: { haze, land, ink } }: Stage, near: number): string {
	return near < 0.6 ? mix(haze, land, 0.18 + near * 1.25) : mix(land, ink, Math.min(1, (near - 0.6) * 2.4));
}

/** Draws a ridge over the whole width. */
export function drawRidge(stage: Stage, near: number, base: number, lift = 0.08): string {
	const { palette, width, height, unit } = stage;
	const [tone, id] = [landTone(stage, near), `ridge${near * 1000}`];
	const noise = createNoise(stage.random(id));
	const top = along(120, (t): Point => {
		const x = t * (width + 120) - 60;
		return [x, base - (noise((x / 1000) * (3.6 - near * 1.9)) + 0.3) * lift * unit * (0.6 + near)];
	});
	const stops = `0 ${mix(tone, palette.light, 0.1)}, .3 ${tone}, 1 ${mix(tone, palette.haze, 0.42 - near * 0.4)}`;
	return `${ramp(id, base - lift * unit, base + unit * 0.28, stops)}
		<path d="${pathOf([...top, [width + 60, height + 9], [-60, height + 9]])}" fill="url(#${id})"/>`;
}

/** Draws three rows of mountains, back to front. */
export function drawMountains(stage: Stage): string {
	const { width, unit } = stage;
	const random = stage.random('mountains');
	return repeat(3, (row) => {
		const count = Math.max(2, Math.round((width / unit) * (2.6 + row * 0.5)));
		return repeat(count, (i) => {
			const x = ((i + random.range(0.15, 0.85)) / count) * width * 1.1 - width * 0.05;
			return drawPeak(stage, x, unit * (0.44 - row * 0.1) * random.range(0.5, 1), 0.06 + row * 0.18, `peak${row}-${i}`);
		});
	});
}

/** Draws a mountain with a lit and a shaded side, and snow on its top. */
function drawPeak(stage: Stage, x: number, tall: number, near: number, id: string): string {
	const { palette, horizon, unit, light } = stage;
	const random = stage.random(id);
	const noise = createNoise(random);
	const foot = horizon + unit * 0.03;
	const side = (way: number): Point[] => {
		const reach = way * tall * random.range(0.95, 1.35);
		return along(16, (t) => {
			const bump = noise(t * 9 + way) * tall * 0.085 * Math.sin(t * Math.PI);
			return [x + reach * t ** 1.12 + bump, foot + tall * (t - 1) + bump];
		});
	};
	const [west, east] = [side(-1).toReversed(), side(1)];
	const line = Math.round(random.range(5, 7));
	const cap = [...west.slice(-line), ...east.slice(0, line)];
	const [[fromX, fromY], [toX, toY]] = [cap.at(-1) as Point, cap[0] as Point];
	const hem = along(9, (t, i): Point => {
		const off = (i % 2 ? 0.06 : -0.06) * tall * random.range(0.5, 1.2);
		return [fromX + (toX - fromX) * t + off * 0.6, fromY + (toY - fromY) * t + off];
	});
	const [tone, shade] = [landTone(stage, near), mix(palette.sky[1], palette.ink, near + 0.2)];
	const snow = mix(mix('#ffffff', palette.light, 0.35), tone, stage.time === 'night' ? 0.62 : 0.3 - near * 0.3);
	const stops = `0 ${mix(tone, palette.light, 0.12)}, .55 ${tone}, 1 ${mix(tone, palette.haze, 0.62)}`;
	return `${ramp(id, foot - tall, foot, stops)}${ramp(`${id}s`, foot - tall, foot, `0 ${shade} .62, 1 ${shade} .04`)}
		<path d="${pathOf([...west, ...east])}" fill="url(#${id})"/><path d="${pathOf([...cap, ...hem])}" fill="${snow}"/>
		<path d="${pathOf([...(light.x < x ? east.toReversed() : west), [x + tall * 0.16, foot]])}" fill="url(#${id}s)"/>`;
}

/** The paths of a conifer whose foot is at `y`, and of the snow on it. */
function conifer(seed: string, x: number, y: number, tall: number): readonly [string, string] {
	const random = createRandom(seed);
	const tiers = Math.max(6, Math.min(13, Math.round(tall / 26)));
	let [tree, snow] = [`M${x - tall * 0.02} ${y - tall * 0.1}h${tall * 0.04}v${tall * 0.1 + 4}h${tall * -0.04}z`, ''];
	for (let tier = 1; tier <= tiers; tier++) {
		const top = y - tall * (1 - (0.93 * Math.max(0, tier - 2.2)) / tiers);
		for (const way of [-1, 1]) {
			const reach = way * tall * 0.25 * (tier / tiers) ** 0.85 * random.range(0.72, 1.1);
			const tip = y - tall * (1 - (0.93 * tier) / tiers - random.range(0.005, 0.035));
			tree += `M${x} ${top}L${x + reach} ${tip}L${x} ${tip - tall * 0.03}Z`;
			snow += `M${x} ${top}L${x + reach} ${tip}L${x + reach * 0.55} ${top + (tip - top) * 0.62 + tall * 0.01}Z`;
		}
	}
	return [tree, snow];
}

/** Draws a row of conifers on `base`. `gap` is half the free width in the middle, as a share of the width. */
export function drawTrees(stage: Stage, near: number, base: number, tall: number, density: number, gap = 0): string {
	const { palette, width, unit } = stage;
	const random = stage.random(`trees${near}`);
	const [tone, id, isSnowy] = [landTone(stage, near), `trees${near * 1000}`, stage.weather === 'snow'];
	const frost = mix('#f4f8ff', mix(tone, palette.haze, 0.5), stage.time === 'night' ? 0.6 : 0.35 - near * 0.2);
	const bark = isSnowy ? mix(mix(tone, palette.ink, 0.75), palette.haze, 0.5 - near * 0.45) : tone;
	const count = Math.min(240, (width / unit) * density);
	const trees = repeat(count, (i) => {
		const x = ((i + random.range(-0.4, 0.4)) / (count - 1)) * width * 1.1 - width * 0.05;
		const off = Math.abs(x / width - 0.5);
		const size = tall * random.range(0.55, 1.05) * (1 + off * 0.7);
		if (off < gap) return '';
		const [tree, snow] = conifer(`${stage.seed} ${near} ${i}`, x, base + tall * random.range(-0.04, 0.02), size);
		return `<path d="${tree}" fill="url(#${id})"/>${isSnowy ? `<path d="${snow}" fill="${frost}"/>` : ''}`;
	});
	const foot = mix(bark, palette.haze, Math.max(0.06, 0.5 - near * 0.45));
	return `${ramp(id, base - tall, base, `0 ${bark}, .5 ${bark}, 1 ${foot}`)}${trees}`;
}

/** Draws a row of trees with a clearing in the middle, mist before it, and its ground. */
export function drawForest(stage: Stage, near: number): string {
	const { palette, unit } = stage;
	const mist = mix(palette.haze, palette.light, 0.25);
	const [base, tall] = [stage.row(near * 0.82 - 0.02), unit * (0.22 + near * 0.62)];
	const stops = `0 ${mist} 0, 1 ${mist} ${0.75 - near * 0.75}`;
	return `${drawTrees(stage, near, base + unit * 0.01, tall, 22 - near * 15, near > 0.3 ? 0.06 + near * 0.17 : 0)}
		${veil(stage, `mist${near * 100}`, base - tall * 0.7, base + 10, stops)}
		${drawRidge(stage, near + 0.04, base, 0.03)}`;
}

/** Draws a row of buildings with lit windows. */
export function drawBuildings(stage: Stage, near: number): string {
	const { palette, time, width, horizon, unit } = stage;
	const random = stage.random(`city${near}`);
	const share = { night: 0.42, dusk: 0.3, dawn: 0.12, day: 0 }[time];
	const [cell, id] = [unit * (0.011 + near * 0.007), `city${near * 100}`];
	let [bodies, lit, dark] = ['', '', ''];
	for (let x = -unit * 0.05, wide = 0; x < width; x += wide * random.range(0.92, 1.12)) {
		wide = unit * random.range(0.055, 0.12) * (0.75 + near);
		const middle = 1 - Math.abs(x / width - 0.5) * 1.1;
		const top = horizon - unit * (0.5 - near * 0.5) * random.range(0.35, 1) * middle - unit * 0.07;
		const step = wide * 0.22;
		const roof = random.next() < 0.5 ? `h${wide}` : `h${step}v${-step}h${wide - step * 2}v${step}h${step}`;
		bodies += `M${x} ${horizon}V${top}${roof}V${horizon}Z`;
		for (let y = top + cell * 2.1; y < horizon - cell * 3; y += cell * 2.1) {
			for (let left = x + cell; left < x + wide - cell * 1.5; left += cell * 1.7) {
				const window = `M${left} ${y}h${cell}v${cell * 1.25}h${-cell}z`;
				if (random.next() < share) lit += window;
				else dark += window;
			}
		}
	}
	const tone = mix(landTone(stage, near), palette.sky[1], 0.3 + near * 0.5);
	const glass = mix(tone, time === 'day' ? palette.sky[2] : palette.ink, 0.45);
	const warm = mix('#ffd98a', palette.haze, Math.max(0, 0.3 - near * 0.5));
	const stops = `0 ${tone}, .6 ${tone}, 1 ${mix(tone, palette.haze, 0.6 - near * 0.7)}`;
	return `${ramp(id, horizon - unit * 0.5, horizon, stops)}<path d="${bodies}" fill="url(#${id})"/>
		<path d="${dark}" fill="${glass}" opacity=".5"/><path d="${lit}" fill="${warm}" opacity="${0.65 + near * 0.6}"/>`;
}
