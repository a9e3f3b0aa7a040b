import { createRandom } from '../scene/random.ts';
import { wordsOf } from '../scene/words.ts';

/** Pictures are this much larger than the frame, so that the camera has room to move. */
export const room = 1.24;

/** What the camera sees: a centre, -1 to 1 of the free room, and a zoom from 1 (everything) to `room`. */
type View = Readonly<Record<'x' | 'y' | 'zoom', number>>;

/** The way of the camera from the first frame to the last. */
export type CameraPath = ReturnType<typeof planPath>;

/** Plans the way of the camera from the words of a prompt. What they leave open is chosen by the seed. */
export function planPath(prompt: string, seed: number) {
	const text = wordsOf(prompt).join(' ');
	const has = (pattern: string): boolean => new RegExp(`\\b(?:${pattern})\\b`, 'u').test(text);
	const toward = (side: string): number => Number(has(`(?:pan\\w*|tilt\\w*|mov\\w+|camera) (?:\\w+ ){0,3}${side}`));
	const [pan, tilt] = [toward('right') - toward('left'), toward('down') - toward('up')];
	const random = createRandom(String(seed));
	const isOut = has('zoom\\w* out') || (!has('zoom\\w*') && random.next() < 0.4);
	const side = random.range(-0.8, 0.8);
	let [from, to]: [View, View] = [
		{ x: -side, y: 0, zoom: 1.02 },
		{ x: side, y: random.range(-0.4, 0.4), zoom: room - 0.02 },
	];
	if (isOut) [from, to] = [to, from];
	if (pan !== 0 || tilt !== 0)
		[from, to] = [
			{ x: -pan, y: -tilt, zoom: 1.18 },
			{ x: pan, y: tilt, zoom: 1.18 },
		];
	if (has('still|static')) from = to = { x: 0, y: 0, zoom: 1.08 };
	return { from, to, fadeIn: has('fad\\w+ in'), fadeOut: has('fad\\w+ (?:in and )?out') };
}

/** The view at a time from 0 to 1. The camera starts and stops gently. */
export function viewAt({ from, to }: CameraPath, time: number): View {
	const t = 0.5 * time + 0.5 * time * time * (3 - 2 * time);
	const between = (a: number, b: number): number => a + (b - a) * t;
	return { x: between(from.x, to.x), y: between(from.y, to.y), zoom: from.zoom * (to.zoom / from.zoom) ** t };
}

/** The brightness of a frame, 0 to 1. A video fades for half a second, or for a quarter of its length. */
export function brightnessAt({ fadeIn, fadeOut }: CameraPath, index: number, frames: number): number {
	const length = Math.min(12, frames / 4);
	const start = fadeIn ? Math.min(1, index / length) : 1;
	return Math.min(start, fadeOut ? Math.min(1, (frames - 1 - index) / length) : 1);
}
