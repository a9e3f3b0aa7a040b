import type { CameraWords } from '../scene/motion.ts';
import { createRandom } from '../scene/random.ts';
import type { Frame } from './compose.ts';
import { drawLayer, fadeFrame } from './compose.ts';
import { type Layer, sharedBytes } from './layer.ts';
import { type Fade, fadeAt, type Painter } from './stage.ts';

/** How much larger than the frame a picture is prepared: the camera's room to move. */
export const PICTURE_ROOM = 1.24;

/** What the camera sees at one moment: a centre, -1 to 1 of the free room, and a zoom from 1 (all) to {@link PICTURE_ROOM}. */
interface View {
	readonly x: number;
	readonly y: number;
	readonly zoom: number;
}

/** A camera move over a picture, from the first frame to the last. */
export interface PicturePath {
	readonly from: View;
	readonly to: View;
}

/** A still picture under a moving camera, in shared memory. */
export interface Picture {
	readonly kind: 'picture';
	readonly width: number;
	readonly height: number;
	readonly frames: number;
	readonly path: PicturePath;
	readonly fade: Fade;
	readonly sourceWidth: number;
	readonly sourceHeight: number;
	readonly y: Uint8Array;
	readonly u: Uint8Array;
	readonly v: Uint8Array;
	readonly caption?: { readonly layer: Layer; readonly x: number; readonly y: number };
}

/** Chooses a camera move: the words of the prompt decide, the seed decides what they leave open. */
export function planPath(words: CameraWords, seed: number): PicturePath {
	const random = createRandom(seed);
	const zooms = words.zoom ?? (words.pan || words.tilt ? undefined : random.pick(['in', 'out'] as const));
	const side = words.pan ?? (words.tilt ? 0 : random.range(0.4, 0.9) * (random.chance(0.5) ? 1 : -1));
	const lift = words.tilt ?? (words.pan ? 0 : random.range(-0.6, 0.6));
	if (words.still) return { from: { x: 0, y: 0, zoom: 1.04 }, to: { x: 0, y: 0, zoom: 1.04 } };
	if (!zooms) {
		const zoom = PICTURE_ROOM - 0.02;
		return { from: { x: -side, y: -lift, zoom }, to: { x: side, y: lift, zoom } };
	}
	const [wide, near] = [
		{ x: 0, y: 0, zoom: 1.01 },
		{ x: side, y: lift, zoom: PICTURE_ROOM },
	];
	return zooms === 'in' ? { from: wide, to: near } : { from: near, to: wide };
}

/** Converts RGBA to shared YUV planes; transparency shows as white. BT.709, limited range. */
export function pictureFrom(
	image: { width: number; height: number; data: Uint8Array },
	rest: Pick<Picture, 'width' | 'height' | 'frames' | 'path' | 'fade' | 'caption'>,
): Picture {
	const { width, height, data } = image;
	const [cw, ch] = [width >> 1, height >> 1];
	const [y, u, v] = [sharedBytes(width * height), sharedBytes(cw * ch), sharedBytes(cw * ch)];
	for (let row = 0; row < ch * 2; row += 2) {
		for (let x = 0; x < cw * 2; x += 2) {
			let [us, vs] = [0, 0];
			for (let k = 0; k < 4; k++) {
				const at = (row + (k >> 1)) * width + x + (k & 1);
				const a = (data[at * 4 + 3] as number) / 255;
				const r = 255 + ((data[at * 4] as number) - 255) * a;
				const g = 255 + ((data[at * 4 + 1] as number) - 255) * a;
				const b = 255 + ((data[at * 4 + 2] as number) - 255) * a;
				y[at] = 16.5 + 0.1826 * r + 0.6142 * g + 0.062 * b;
				us += -0.1006 * r - 0.3386 * g + 0.4392 * b;
				vs += 0.4392 * r - 0.3989 * g - 0.0403 * b;
			}
			const c = (row >> 1) * cw + (x >> 1);
			u[c] = 128.5 + us / 4;
			v[c] = 128.5 + vs / 4;
		}
	}
	return { kind: 'picture', sourceWidth: width, sourceHeight: height, y, u, v, ...rest };
}

/** Makes the painter of a picture. */
export function createPicturePainter(picture: Picture): Painter {
	return (index, frame) => drawPicture(picture, index, frame);
}

function drawPicture(picture: Picture, index: number, frame: Frame): void {
	const { sourceWidth, sourceHeight, path, frames, caption } = picture;
	const { width, height } = frame;
	const t = ease(frames > 1 ? index / (frames - 1) : 0);
	const zoom = path.from.zoom * (path.to.zoom / path.from.zoom) ** t;
	const scale = Math.min(sourceWidth / width, sourceHeight / height) / zoom;
	const [roomX, roomY] = [(sourceWidth - width * scale) / 2, (sourceHeight - height * scale) / 2];
	const left = roomX * (1 + path.from.x + (path.to.x - path.from.x) * t);
	const top = roomY * (1 + path.from.y + (path.to.y - path.from.y) * t);
	sample(frame.y, width, height, picture.y, sourceWidth, sourceHeight, left, top, scale);
	const [cw, ch] = [width >> 1, height >> 1];
	const [sw, sh] = [sourceWidth >> 1, sourceHeight >> 1];
	sample(frame.u, cw, ch, picture.u, sw, sh, left / 2, top / 2, scale);
	sample(frame.v, cw, ch, picture.v, sw, sh, left / 2, top / 2, scale);
	if (caption) drawLayer(frame, caption.layer, caption.x, caption.y);
	fadeFrame(frame, fadeAt(picture.fade, index, frames));
}

/** Scales one plane with bilinear filtering, in whole numbers so that every machine gets the same bytes. */
function sample(
	to: Uint8Array,
	width: number,
	height: number,
	from: Uint8Array,
	fromWidth: number,
	fromHeight: number,
	left: number,
	top: number,
	scale: number,
): void {
	const step = Math.round(scale * 65_536);
	// The middle of a pixel lies half a pixel from its border, in both pictures.
	const startX = Math.round((left + scale / 2 - 0.5) * 65_536);
	const startY = Math.round((top + scale / 2 - 0.5) * 65_536);
	const [lastX, lastY] = [(fromWidth - 1) * 65_536 - 1, (fromHeight - 1) * 65_536 - 1];
	let at = 0;
	for (let row = 0; row < height; row++) {
		const sy = Math.min(lastY, Math.max(0, startY + row * step));
		const line = (sy >> 16) * fromWidth;
		const fy = (sy >> 8) & 255;
		let sx = startX;
		for (let x = 0; x < width; x++, sx += step) {
			const cx = sx < 0 ? 0 : sx > lastX ? lastX : sx;
			const i = line + (cx >> 16);
			const fx = (cx >> 8) & 255;
			const a = ((from[i] as number) << 8) + ((from[i + 1] as number) - (from[i] as number)) * fx;
			const j = i + fromWidth;
			const b = ((from[j] as number) << 8) + ((from[j + 1] as number) - (from[j] as number)) * fx;
			to[at++] = ((a << 8) + (b - a) * fy + 32_768) >> 16;
		}
	}
}

/** Starts and stops softly, moves evenly in between. */
function ease(t: number): number {
	const soft = t * t * (3 - 2 * t);
	return 0.45 * soft + 0.55 * t;
}
