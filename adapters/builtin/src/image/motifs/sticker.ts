import { adjust, hex, mix, rgb } from '../../scene/color.ts';
import { type Canvas, n } from '../../scene/parts/canvas.ts';
import { colorsOf, shapeOf, stands } from '../../scene/parts/subjects.ts';
import { type MotifPainter, sheet } from './motif.ts';

/** The subject alone, large, on a piece of ground, water or cloud: for pictures that are laid over others. */
export const sticker: MotifPainter = (canvas, { room }) => {
	const { width, plan } = canvas;
	const { subject } = plan;
	if (subject === undefined) return { back: [], main: [] };
	const size = Math.min(width, room) * 0.72;
	const [x, foot] = [width / 2, room / 2 + size * 0.46];
	const shape = shapeOf(subject, x, foot - size / 2, size, colorsOf(canvas), plan.pan < 0);
	return { back: [], main: [sheet(canvas, base(canvas, x, foot, size, shape))] };
};

function base(canvas: Canvas, x: number, foot: number, size: number, shape: string): string {
	const { plan } = canvas;
	const { palette, subject } = plan;
	const ellipse = (dy: number, rx: number, ry: number, fill: string, opacity = 1): string =>
		`<ellipse cx="${n(x)}" cy="${n(foot + dy * size)}" rx="${n(rx * size)}" ry="${n(ry * size)}" fill="${fill}" fill-opacity="${opacity}"/>`;
	if (subject === 'boat' || subject === 'whale') {
		const [deep, shallow] = [hex(palette.water), hex(mix(palette.water, rgb('#ffffff'), 0.35))];
		// The whale's belly is higher in its box than a keel.
		const at = subject === 'whale' ? -0.14 : 0;
		return (
			ellipse(at - 0.02, 0.6, 0.085, deep) +
			shape +
			ellipse(at + 0.03, 0.52, 0.05, shallow, 0.75) +
			ellipse(at + 0.05, 0.36, 0.028, '#ffffff', 0.35)
		);
	}
	if (!stands(canvas)) return shape;
	const land = adjust(palette.land, 0, 1.1);
	return (
		ellipse(0.045, 0.58, 0.075, hex(mix(land, palette.ink, 0.55))) +
		ellipse(0.015, 0.58, 0.07, hex(land)) +
		ellipse(0.0, 0.4, 0.03, '#000000', 0.22) +
		shape
	);
}
