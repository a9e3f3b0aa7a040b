import type { RawImage } from '@plinth/toolkit';
import { rasterise } from '../scene/rasterise.ts';
import { serveJobs } from '../serve-jobs.ts';
import { encodeFrames } from './encode.ts';
import type { Part } from './film.ts';
import { type Film, paintFrame } from './frames.ts';
import { createLayer, layerOf } from './layer.ts';
import { remux } from './mux.ts';

/** One video. */
export interface VideoJob extends Omit<Film, 'layers'> {
	/** The picture behind all parts. */
	readonly picture?: RawImage | undefined;
	/** The layers to draw, back to front. */
	readonly parts: readonly Part[];
}

/** The MP4, its middle frame as opaque RGBA, and a sheet of frames. */
export interface RenderedVideo {
	readonly body: Uint8Array;
	readonly still: Uint8Array;
	readonly sheet: RawImage;
}

/** The module of a thread that makes videos. It reports each finished frame. */
export default serveJobs<VideoJob, RenderedVideo, 'frame'>(async ({ picture, parts, ...rest }, report) => {
	const layers = picture ? [layerOf(picture)] : [];
	for (const { svg, motion } of parts) layers.push(createLayer(await rasterise(svg), motion));
	const film = { ...rest, layers };
	const file = await encodeFrames(film, () => report('frame'));
	const still = new Int32Array(film.width * film.height);
	paintFrame(film, Math.floor(film.frames / 2), still);
	return { body: await remux(file), still: new Uint8Array(still.buffer), sheet: sheetOf(film) };
});

/** Evenly spaced frames in three rows of four, each a quarter as wide and high as the video. */
function sheetOf(film: Film): RawImage {
	const [width, height] = [film.width / 4, film.height / 4];
	const frame = new Int32Array(width * height);
	const sheet = new Int32Array(12 * frame.length);
	for (let at = 0; at < 12; at++) {
		paintFrame({ ...film, width, height }, Math.floor(((at + 0.5) * film.frames) / 12), frame);
		const corner = Math.floor(at / 4) * height * film.width + (at % 4) * width;
		for (let y = 0; y < height; y++) sheet.set(frame.subarray(y * width, (y + 1) * width), corner + y * film.width);
	}
	return { width: film.width, height: 3 * height, data: new Uint8Array(sheet.buffer) };
}
