import type { Size } from '../bitmap.ts';
import { backgroundShare } from './background.ts';

/** What is to be thought of a subject that was told from its background. */
export interface CutQuality {
	/** Why it is no use, as the end of a sentence. */
	readonly refusal?: string;
	/** Why the result may be poor, one sentence. */
	readonly doubt?: string;
}

const DOUBT =
	'The background could not be told well from the subject by its colours, so the cut may be poor; an even background works best.';

/** Judges a cut by its outline: `subject` holds 255 where the subject is and 0 in the background. */
export function judgeCut(subject: Uint8Array, size: Size): CutQuality {
	const share = backgroundShare(subject);
	if (share < 0.01) return { refusal: 'hardly anything hangs together with the border in colour' };
	if (share > 0.998) {
		return { refusal: 'there is no subject: the whole picture is like its border in colour' };
	}
	if (share < 0.03 || share > 0.97) return { doubt: DOUBT };
	const edges = edgeShares(subject, size);
	const open = edges.filter((part) => part >= 0.5).length;
	const [, , left = 0, right = 0] = edges;
	// What reaches from the left edge to the right one is a landscape more often than a thing.
	const isStrip = left < 0.9 && right < 0.9;
	return open < 3 || isStrip || isRagged(subject, size, share) ? { doubt: DOUBT } : {};
}

/** How much of the top, the bottom, the left and the right edge is background, 0 to 1. */
function edgeShares(subject: Uint8Array, { width, height }: Size): readonly number[] {
	const share = (from: number, step: number, length: number): number => {
		let count = 0;
		for (let i = 0; i < length; i++) if (subject[from + i * step] === 0) count++;
		return count / length;
	};
	return [
		share(0, 1, width),
		share((height - 1) * width, 1, width),
		share(0, width, height),
		share(width - 1, width, height),
	];
}

/** Whether what is kept reaches from edge to edge and yet a good part of it is gone: strips and patches rather than a thing. */
function isRagged(subject: Uint8Array, { width, height }: Size, share: number): boolean {
	if (share < 0.3) return false;
	let [left, right, top, bottom] = [width, -1, height, -1];
	for (let y = 0, k = 0; y < height; y++) {
		for (let x = 0; x < width; x++, k++) {
			if ((subject[k] as number) < 128) continue;
			if (x < left) left = x;
			if (x > right) right = x;
			if (y < top) top = y;
			bottom = y;
		}
	}
	return right - left + 1 >= width * 0.95 && bottom - top + 1 >= height * 0.8;
}
