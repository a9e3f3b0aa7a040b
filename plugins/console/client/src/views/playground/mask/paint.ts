/** A rectangle in pixels of the picture. */
export interface Rectangle {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

/** A point in pixels of the picture. */
export interface Point {
	readonly x: number;
	readonly y: number;
}

/** Whether marks are added or removed. */
export type Mode = 'paint' | 'erase';

const colour = '#e0218a';

function penOf(canvas: HTMLCanvasElement, mode: Mode = 'paint'): CanvasRenderingContext2D {
	const pen = canvas.getContext('2d', { willReadFrequently: true });
	if (!pen) throw new Error('This browser has no canvas.');
	pen.globalCompositeOperation = mode === 'paint' ? 'source-over' : 'destination-out';
	pen.fillStyle = colour;
	pen.strokeStyle = colour;
	pen.lineCap = 'round';
	return pen;
}

/** Draws a line with a round brush; the same point twice is a dot. */
export function stroke(canvas: HTMLCanvasElement, from: Point, to: Point, width: number, mode: Mode): void {
	const pen = penOf(canvas, mode);
	pen.lineWidth = width;
	pen.beginPath();
	pen.moveTo(from.x, from.y);
	pen.lineTo(to.x, to.y);
	pen.stroke();
	// A canvas does not draw a line of length 0.
	pen.beginPath();
	pen.arc(to.x, to.y, width / 2, 0, 2 * Math.PI);
	pen.fill();
}

/** Fills a rectangle. */
export function fill(canvas: HTMLCanvasElement, { x, y, width, height }: Rectangle, mode: Mode): void {
	penOf(canvas, mode).fillRect(x, y, width, height);
}

/** Removes all marks. */
export function clear(canvas: HTMLCanvasElement): void {
	penOf(canvas).clearRect(0, 0, canvas.width, canvas.height);
}

/** The share of the picture that is marked, from 0 to 1. */
export function markedShare(canvas: HTMLCanvasElement): number {
	const size = 128;
	const small = document.createElement('canvas');
	small.width = size;
	small.height = size;
	const pen = penOf(small);
	pen.drawImage(canvas, 0, 0, size, size);
	const { data } = pen.getImageData(0, 0, size, size);
	let alpha = 0;
	for (let at = 3; at < data.length; at += 4) alpha += data[at] ?? 0;
	return alpha / (size * size * 255);
}

/** The mask for the API: a PNG that is transparent where the picture may change, and opaque elsewhere. */
export async function maskOf(canvas: HTMLCanvasElement): Promise<File> {
	const mask = document.createElement('canvas');
	mask.width = canvas.width;
	mask.height = canvas.height;
	const pen = penOf(mask);
	pen.fillStyle = '#000000';
	pen.fillRect(0, 0, mask.width, mask.height);
	pen.globalCompositeOperation = 'destination-out';
	pen.drawImage(canvas, 0, 0);
	const blob = await new Promise<Blob | null>((resolve) => mask.toBlob(resolve, 'image/png'));
	if (!blob) throw new Error('This picture is too large for the canvas of this browser.');
	return new File([blob], 'mask.png', { type: 'image/png' });
}

/** Draws the marks of an existing mask. */
export async function restore(canvas: HTMLCanvasElement, mask: Blob): Promise<void> {
	const picture = await createImageBitmap(mask);
	fill(canvas, { x: 0, y: 0, width: canvas.width, height: canvas.height }, 'paint');
	penOf(canvas, 'erase').drawImage(picture, 0, 0, canvas.width, canvas.height);
	picture.close();
}
