import { createRandom } from '../scene/random.ts';
import { wordsOf } from '../scene/words.ts';

/** Pictures are larger than the frame by this factor, so that the camera has room to move. */
export const room = 1.24;

/** The view of the camera: its centre, from -1 to 1 of the room to move, and a zoom from 1 (everything) to `room`. */
type View = Readonly<Record<'x' | 'y' | 'zoom', number>>;

/** The path of the camera from the first frame to the last. */
export type CameraPath = ReturnType<typeof planPath>;

/** Plans the path of the camera from the words of a prompt. The seed chooses the rest. */
export function planPath(prompt: string, seed: number) {
	const text = wordsOf(prompt).join(' ');
	const has = (pattern: string): boolean => new RegExp(`\\b(?:${pattern})\\b`, 'u').test(text);
	const toward = (side: string): number => Number(has(`(?:pan\\w*|tilt\\w*|mov\\w+|camera) (?:\\w+ ){0,3}${side}`));
	const [pan, tilt] = [toward('right') - toward('left'), toward('down') - toward('up')];
	const random = createRandom(String(seed));
	const isOut = has('zoom\\w* out') || (!has('zoom\\w*') && random.next() < 0.4);
	const side = random.range(-0.8, 0.8);
	const view = (x: number, y: number, zoom: number): View => ({ x, y, zoom });
	let [from, to] = [view(-side, 0, 1.02), view(side, random.range(-0.4, 0.4), room - 0.02)];
	if (isOut) [from, to] = [to, from];
	if (pan !== 0 || tilt !== 0) [from, to] = [view(-pan, -tilt, 1.18), view(pan, tilt, 1.18)];
	if (has('still|static')) from = to = view(0, 0, 1.08);
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
