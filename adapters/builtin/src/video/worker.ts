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
	/** What is drawn, back to front. */
	readonly parts: readonly Part[];
}

/** The MP4, and the frame in its middle as opaque RGBA. */
export interface RenderedVideo {
	readonly body: Uint8Array;
	readonly still: Uint8Array;
}

/** The module of a thread that makes videos. It reports each finished frame. */
export default serveJobs<VideoJob, RenderedVideo, 'frame'>(async ({ picture, parts, ...shot }, report) => {
	const layers = picture ? [layerOf(picture)] : [];
	for (const { svg, motion } of parts) layers.push(createLayer(await rasterise(svg), motion));
	const film = { ...shot, layers };
	const file = await encodeFrames(film, () => report('frame'));
	const still = new Int32Array(film.width * film.height);
	paintFrame(film, Math.floor(film.frames / 2), still);
	return { body: await remux(file), still: new Uint8Array(still.buffer) };
});
