import { adjust, hex, mix, type Rgb, rgb } from '../../scene/color.ts';
import { type Canvas, n } from '../../scene/parts/canvas.ts';
import type { Random } from '../../scene/random.ts';
import type { Sitter } from '../words.ts';

const skins = ['#f3d2b8', '#e6b591', '#c98f66', '#9a6444', '#6b422c'].map(rgb);
const hairs = ['#2a1d18', '#4a2e1c', '#7a4a26', '#c08a3e', '#8a2f1c', '#9a9aa2'].map(rgb);
const irises = ['#3a6f8a', '#4a7a4a', '#5a3a20', '#2c2c34'];

/** How one sitter looks. */
interface Looks {
	readonly skin: Rgb;
	readonly hair: Rgb;
	readonly cloth: Rgb;
	readonly iris: string;
	readonly style: 'long' | 'short' | 'bun' | 'curly';
	readonly beard: boolean;
	readonly glasses: boolean;
	readonly hat: 'crown' | 'brim' | undefined;
}

/** Draws head and shoulders. `foot` is the row where the shoulders end, `size` their height with the head, in pixels. */
export function bust(canvas: Canvas, sitter: Sitter, at: { x: number; foot: number; size: number }): string {
	const looks = looksOf(canvas, sitter);
	const scale = at.size / 100;
	const parts = [
		hairBehind(looks),
		shoulders(looks),
		head(looks),
		eyes(looks),
		beard(looks),
		hairBefore(looks, canvas.shapes),
		glasses(looks),
		hat(looks, canvas.plan.palette.accent),
	];
	return `<g transform="translate(${n(at.x - at.size / 2)} ${n(at.foot - at.size)}) scale(${scale.toFixed(4)})">${parts.join('')}</g>`;
}

function looksOf({ shapes, plan }: Canvas, sitter: Sitter): Looks {
	const long = sitter.hair === 'long' || (sitter.hair === undefined && shapes.chance(0.5));
	const style = shapes.pick(long ? (['long', 'bun', 'curly'] as const) : (['short', 'short', 'curly'] as const));
	return {
		skin: shapes.pick(skins),
		hair: shapes.pick(hairs),
		cloth: mix(plan.palette.accent, plan.palette.ink, 0.25),
		iris: shapes.pick(irises),
		style,
		beard: sitter.beard || (!long && shapes.chance(0.4)),
		glasses: sitter.glasses || (!sitter.royal && shapes.chance(0.18)),
		hat: sitter.royal ? 'crown' : sitter.hat || shapes.chance(0.12) ? 'brim' : undefined,
	};
}

function path(fill: string, d: string, more = ''): string {
	return `<path d="${d}" fill="${fill}" ${more}/>`;
}

function hairBehind({ hair, style }: Looks): string {
	const tone = hex(adjust(hair, 0, 1, -0.05));
	if (style === 'long')
		return path(tone, 'M50 12C27 12 26 36 27 52C28 68 22 76 24 84H76C78 76 72 68 73 52C74 36 73 12 50 12Z');
	if (style === 'bun') return `<circle cx="50" cy="12" r="9" fill="${tone}"/>`;
	if (style === 'curly') {
		return Array.from({ length: 11 }, (_, i) => {
			const angle = Math.PI * (0.86 + (i / 10) * 1.28);
			return `<circle cx="${n(50 + Math.cos(angle) * 20)}" cy="${n(36 + Math.sin(angle) * 20)}" r="9" fill="${tone}"/>`;
		}).join('');
	}
	return '';
}

function shoulders({ skin, cloth }: Looks): string {
	const shade = hex(adjust(skin, 0, 1.05, -0.1));
	const [low, lit] = [hex(adjust(cloth, 0, 1, -0.09)), hex(adjust(cloth, 0, 1, 0.07))];
	return (
		path(hex(cloth), 'M6 101C8 82 20 78 38 73H62C80 78 92 82 94 101Z') +
		path(low, 'M62 73C80 78 92 82 94 101H70C72 90 68 80 60 74Z') +
		path(lit, 'M38 73C26 76 14 79 9 90C18 82 30 80 40 77Z') +
		path(shade, 'M42 56H58V72C58 80 50 84 50 84C50 84 42 80 42 72Z') +
		path(hex(skin), 'M42 56H53V76C50 82 42 78 42 72Z') +
		path(lit, 'M38 72L50 92L41 97L33 75ZM62 72L50 92L59 97L67 75Z', `stroke="${low}" stroke-width="0.6"`) +
		`<circle cx="50" cy="95" r="1.6" fill="#f0d184"/>`
	);
}

function head({ skin }: Looks): string {
	const shade = hex(adjust(skin, 0, 1.05, -0.07));
	const blush = hex(mix(skin, rgb('#e0604a'), 0.35));
	return `
		<ellipse cx="32.6" cy="42" rx="3.4" ry="5" fill="${hex(skin)}"/><ellipse cx="67.4" cy="42" rx="3.4" ry="5" fill="${shade}"/>
		${path(hex(skin), 'M50 17C37 17 32.5 27 33 40C33.5 53 41 65 50 65C59 65 66.5 53 67 40C67.5 27 63 17 50 17Z')}
		${path(shade, 'M54 17.5C63 20 67.4 28 67 40C66.5 53 59 65 50 65C58 60 61 50 60 40C59.5 31 58 23 54 17.5Z')}
		<ellipse cx="39.5" cy="49" rx="4" ry="2.6" fill="${blush}" fill-opacity="0.45"/><ellipse cx="60.5" cy="49" rx="4" ry="2.6" fill="${blush}" fill-opacity="0.45"/>
		${path(hex(adjust(skin, 0, 1.1, -0.14)), 'M51 39C52.5 44 54.5 47 53 49.2Q50.5 50.6 48.4 49.4Q51.6 49 51.4 46Z')}
		${path(hex(mix(skin, rgb('#a83a3a'), 0.6)), 'M44.5 56Q47.5 54.4 50 55.4Q52.5 54.4 55.5 56Q50 57.2 44.5 56Z')}
		${path(hex(mix(skin, rgb('#c8504a'), 0.55)), 'M44.5 56Q50 57.2 55.5 56Q53 59.4 50 59.4Q47 59.4 44.5 56Z')}`;
}

function eyes({ iris, hair, skin }: Looks): string {
	const brow = hex(mix(hair, skin, 0.15));
	return [42.3, 57.7]
		.map((x, i) => {
			const way = i === 0 ? 1 : -1;
			return `${path('#fbf8f2', `M${x - 4} 41.6Q${x} 37.8 ${x + 4} 41.6Q${x} 44.2 ${x - 4} 41.6Z`)}<circle cx="${x}" cy="41.2" r="2.2" fill="${iris}"/><circle cx="${x}" cy="41.2" r="1.1" fill="#14100e"/><circle cx="${x - 0.7}" cy="40.4" r="0.55" fill="#fff"/><path d="M${x - 4.3} 41.8Q${x} 37.2 ${x + 4.3} 41.8" fill="none" stroke="#2a1a14" stroke-width="0.8" stroke-linecap="round"/><path d="M${x - 4.6 * way} 35.6Q${x} 33 ${x + 4.6 * way} 35" fill="none" stroke="${brow}" stroke-width="1.5" stroke-linecap="round"/>`;
		})
		.join('');
}

function beard({ beard, hair }: Looks): string {
	if (!beard) return '';
	return path(
		hex(hair),
		'M33.2 44C34 58 41 69 50 69C59 69 66 58 66.8 44C64 52 58 53 55.8 53.4Q50 51.8 44.2 53.4C42 53 36 52 33.2 44ZM44.6 56.4Q50 54.8 55.4 56.4Q53 59.8 50 59.8Q47 59.8 44.6 56.4Z',
		'fill-rule="evenodd"',
	);
}

function hairBefore({ hair, style }: Looks, random: Random): string {
	const lit = hex(adjust(hair, 0, 1, 0.07));
	const part = random.range(38, 60);
	const fringe = `M32 42C29 24 36 13 50 13C64 13 71 24 68 42C67 34 65 30 62 28Q${n(part + 6)} 27 ${n(part)} 22Q${n(part - 8)} 28 38 29C35 31 33 35 32 42Z`;
	const shine = `<path d="M38 20Q44 15.6 52 16" fill="none" stroke="${lit}" stroke-width="1.4" stroke-linecap="round"/>`;
	const locks =
		style === 'long'
			? path(hex(hair), 'M32 40C30 56 33 66 29 80C24 70 26 54 29 40ZM68 40C70 56 67 66 71 80C76 70 74 54 71 40Z')
			: '';
	return path(hex(hair), fringe) + shine + locks;
}

function glasses({ glasses }: Looks): string {
	if (!glasses) return '';
	const rim = 'fill="#fff" fill-opacity="0.12" stroke="#2a2420" stroke-width="1"';
	return `<circle cx="42.3" cy="41.5" r="6" ${rim}/><circle cx="57.7" cy="41.5" r="6" ${rim}/><path d="M48.3 41Q50 39.6 51.7 41M36.3 41L32 39.6M63.7 41L68 39.6" fill="none" stroke="#2a2420" stroke-width="1"/>`;
}

function hat({ hat }: Looks, accent: Rgb): string {
	if (hat === 'crown') {
		return `${path('#d9a93a', 'M33 21L30 4L39.5 12L50 1L60.5 12L70 4L67 21Q50 16 33 21Z')}${path('#f3d27a', 'M33 21Q50 16 67 21L66.6 17.4Q50 12.6 33.4 17.4Z')}${[30, 50, 70].map((x) => `<circle cx="${x}" cy="${x === 50 ? 1.4 : 4.4}" r="1.7" fill="#f7e3a4"/>`).join('')}<circle cx="50" cy="16" r="1.8" fill="${hex(accent)}"/>`;
	}
	if (hat === 'brim') {
		const felt = mix(accent, rgb('#2a2430'), 0.55);
		return `${path(hex(felt), 'M35 20C35 6 41 2 50 3C59 2 65 6 65 20Z')}${path(hex(accent), 'M35 20Q35 16 35.4 14Q50 18 64.6 14Q65 16 65 20Z')}<ellipse cx="50" cy="21" rx="27" ry="4.6" fill="${hex(adjust(felt, 0, 1, 0.05))}"/>`;
	}
	return '';
}
