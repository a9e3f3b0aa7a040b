import { adjust, hex, mix, type Rgb, rgb } from '../../scene/color.ts';
import { type Canvas, n } from '../../scene/parts/canvas.ts';
import { type MotifPainter, sheet } from './motif.ts';

/** Tiles over the whole picture, in the colours of the prompt. */
export const pattern: MotifPainter = (canvas, { colors }) => {
	const { shapes } = canvas;
	const tiles = shapes.pick([triangles, arcs, scales, quilt, cubes]);
	return { back: [], main: [sheet(canvas, tiles(canvas, shades(canvas, colors)))] };
};

/** Six colours that go together: those of the prompt in several lights, or those of the palette. */
function shades({ plan }: Canvas, named: readonly Rgb[]): readonly Rgb[] {
	const { sky, accent, land, ink } = plan.palette;
	const [cream, night] = [rgb('#fff6e6'), rgb('#161a2c')];
	const first = named[0] ?? accent;
	const second = named[1] ?? (named[0] ? adjust(first, 24, 0.9, 0.08) : mix(land, accent, 0.3));
	return [
		first,
		adjust(first, 0, 0.9, 0.12),
		named[2] ?? second,
		named[0] ? mix(second, night, 0.35) : mix(sky[0], accent, 0.15),
		mix(named[0] ? mix(second, cream, 0.4) : sky[3], cream, 0.6),
		named[0] ? mix(first, night, 0.72) : mix(ink, sky[0], 0.5),
	];
}

type Tiles = (canvas: Canvas, colors: readonly Rgb[]) => string;

/** A cell's place in the grid, and its corner in pixels. */
function cells(
	{ width, height }: Canvas,
	wide: number,
	tall: number,
	draw: (x: number, y: number, column: number, row: number) => string,
): string {
	let svg = '';
	for (let row = -1; row * tall < height + tall; row++) {
		for (let column = -1; column * wide < width + wide; column++) {
			svg += draw(column * wide, row * tall, column, row);
		}
	}
	return svg;
}

/** A slow change of colour from corner to corner, with a little chance. */
function drift(canvas: Canvas, colors: readonly Rgb[], x: number, y: number): Rgb {
	const { width, height, shapes } = canvas;
	const t = (x / width) * 0.5 + (y / height) * 0.5 + shapes.range(-0.12, 0.12);
	const place = Math.min(0.999, Math.max(0, t)) * (colors.length - 1);
	const i = Math.floor(place);
	return mix(colors[i] as Rgb, colors[i + 1] as Rgb, place - i);
}

const triangles: Tiles = (canvas, colors) => {
	const side = canvas.unit / canvas.shapes.int(8, 12);
	const tall = side * 0.866;
	const ground = `<rect width="100%" height="100%" fill="${hex(colors[3] as Rgb)}"/>`;
	return (
		ground +
		cells(canvas, side, tall, (left, y, _column, row) => {
			const x = left + (row % 2 === 0 ? 0 : side / 2);
			const [a, b] = [0, 1].map((k) =>
				hex(adjust(drift(canvas, colors, x, y), 0, 1, canvas.shapes.range(-0.07, 0.07) + k * 0.02)),
			);
			return `<path d="M${n(x)} ${n(y + tall)}h${n(side)}l${n(-side / 2)} ${n(-tall)}Z" fill="${a}" stroke="${a}" stroke-width="0.7"/><path d="M${n(x + side / 2)} ${n(y)}h${n(side)}l${n(-side / 2)} ${n(tall)}Z" fill="${b}" stroke="${b}" stroke-width="0.7"/>`;
		})
	);
};

/** Quarter circles that join to endless bands. */
const arcs: Tiles = (canvas, colors) => {
	const side = canvas.unit / canvas.shapes.int(7, 11);
	const wide = side * 0.34;
	const bands = (color: Rgb, share: number): string =>
		`fill="none" stroke="${hex(color)}" stroke-width="${n(wide * share)}"`;
	let [outer, inner] = ['', ''];
	cells(canvas, side, side, (x, y) => {
		const h = side / 2;
		const path = canvas.shapes.chance(0.5)
			? `M${n(x + h)} ${n(y)}A${n(h)} ${n(h)} 0 0 1 ${n(x)} ${n(y + h)}M${n(x + side)} ${n(y + h)}A${n(h)} ${n(h)} 0 0 0 ${n(x + h)} ${n(y + side)}`
			: `M${n(x + h)} ${n(y)}A${n(h)} ${n(h)} 0 0 0 ${n(x + side)} ${n(y + h)}M${n(x)} ${n(y + h)}A${n(h)} ${n(h)} 0 0 1 ${n(x + h)} ${n(y + side)}`;
		outer += path;
		inner += path;
		return '';
	});
	return `<rect width="100%" height="100%" fill="${hex(colors[5] as Rgb)}"/><path d="${outer}" ${bands(colors[0] as Rgb, 1)}/><path d="${inner}" ${bands(colors[4] as Rgb, 0.42)}/><path d="${inner}" ${bands(colors[3] as Rgb, 0.16)}/>`;
};

/** Overlapping scales, like waves on Japanese cloth. */
const scales: Tiles = (canvas, colors) => {
	const side = canvas.unit / canvas.shapes.int(6, 9);
	return cells(canvas, side, side / 4, (left, y, _column, row) => {
		const x = left + (row % 2 === 0 ? 0 : side / 2) + side / 2;
		const color = drift(canvas, colors, x, y);
		return [1, 0.78, 0.56, 0.34]
			.map((k, i) => {
				const tone = i % 2 === 0 ? color : mix(color, colors[4] as Rgb, 0.72);
				return `<circle cx="${n(x)}" cy="${n(y + side / 2)}" r="${n((side / 2) * k)}" fill="${hex(tone)}"/>`;
			})
			.join('');
	});
};

/** Patches of quarter discs, leaves, rings and diamonds. */
const quilt: Tiles = (canvas, colors) => {
	const { shapes } = canvas;
	const side = canvas.unit / shapes.int(5, 8);
	return cells(canvas, side, side, (x, y) => {
		const [ground, figure] = [shapes.pick(colors), shapes.pick(colors)].map(hex);
		const tile = `<rect x="${n(x - 0.4)}" y="${n(y - 0.4)}" width="${n(side + 0.8)}" height="${n(side + 0.8)}" fill="${ground}"/>`;
		const s = n(side);
		const h = n(side / 2);
		const figures = [
			`<path d="M0 0H${s}A${s} ${s} 0 0 1 0 ${s}Z" fill="${figure}"/>`,
			`<path d="M0 0A${s} ${s} 0 0 1 ${s} ${s}A${s} ${s} 0 0 1 0 0Z" fill="${figure}"/>`,
			`<circle cx="${h}" cy="${h}" r="${n(side * 0.34)}" fill="none" stroke="${figure}" stroke-width="${n(side * 0.16)}"/>`,
			`<path d="M${h} 0L${s} ${h}L${h} ${s}L0 ${h}Z" fill="${figure}"/>`,
			`<path d="M0 0H${s}A${h} ${h} 0 0 1 0 0ZM0 ${s}H${s}A${h} ${h} 0 0 0 0 ${s}Z" fill="${figure}"/>`,
		];
		const turn = `translate(${n(x)} ${n(y)}) rotate(${shapes.int(0, 3) * 90} ${h} ${h})`;
		return `${tile}<g transform="${turn}">${shapes.pick(figures)}</g>`;
	});
};

/** Cubes seen from a corner, each with three sides in its own light. */
const cubes: Tiles = (canvas, colors) => {
	const side = canvas.unit / canvas.shapes.int(12, 18);
	const [wide, tall] = [side * 1.732, side * 1.5];
	return cells(canvas, wide, tall, (left, y, _column, row) => {
		const x = left + (row % 2 === 0 ? 0 : wide / 2);
		const color = drift(canvas, colors, x, y);
		const [h, w] = [side / 2, wide / 2];
		const face = (d: string, light: number): string => {
			const tone = hex(adjust(color, 0, 1, light));
			return `<path d="${d}" fill="${tone}" stroke="${tone}" stroke-width="0.6"/>`;
		};
		return (
			face(`M${n(x)} ${n(y)}l${n(w)} ${n(-h)}l${n(w)} ${n(h)}l${n(-w)} ${n(h)}Z`, 0.1) +
			face(`M${n(x)} ${n(y)}l${n(w)} ${n(h)}v${n(side)}l${n(-w)} ${n(-h)}Z`, -0.02) +
			face(`M${n(x + wide)} ${n(y)}l${n(-w)} ${n(h)}v${n(side)}l${n(w)} ${n(-h)}Z`, -0.16)
		);
	});
};
