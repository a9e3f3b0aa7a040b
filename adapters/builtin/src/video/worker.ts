import { rasterise } from '../scene/rasterise.ts';
import { serveJobs } from '../serve-jobs.ts';
import { encodeGroup } from './encode.ts';
import type { Part } from './film.ts';
import { type Film, paintFrame } from './frames.ts';
import { createLayer, type Layer } from './layer.ts';

/** What a thread can do: draw layers, encode frames, or paint one. */
export type VideoJob =
	| { readonly kind: 'layers'; readonly parts: readonly Part[] }
	| { readonly kind: 'group'; readonly film: Film; readonly start: number; readonly count: number }
	| { readonly kind: 'still'; readonly film: Film; readonly index: number };

/** Layers, an MP4, or opaque RGBA. */
export type WorkerResult = readonly Layer[] | Uint8Array;

/** The module of a thread that makes videos. It reports each finished frame. */
export default serveJobs<VideoJob, WorkerResult, 'frame'>(async (job, report) => {
	if (job.kind === 'group') return encodeGroup(job.film, job.start, job.count, () => report('frame'));
	if (job.kind === 'layers') {
		const layers: Layer[] = [];
		for (const { svg, motion } of job.parts) layers.push(createLayer(await rasterise(svg), motion));
		return layers;
	}
	const pixels = new Int32Array(job.film.width * job.film.height);
	paintFrame(job.film, job.index, pixels);
	return new Uint8Array(pixels.buffer);
});
