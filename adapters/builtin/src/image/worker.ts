import type { RawImage } from '@plinth/toolkit';
import { rasterise } from '../scene/rasterise.ts';
import { serveJobs } from '../serve-jobs.ts';

/** An SVG document to draw. */
export interface DrawJob {
	readonly svg: string;
	/** The range of the grain, in colour values of 0 to 255. */
	readonly grain: number;
}

/** The module of a thread that draws pictures. */
export default serveJobs<DrawJob, RawImage>(async ({ svg, grain }) => {
	const pixels = await rasterise(svg);
	finish(pixels.data, grain);
	return pixels;
});

/** Divides the colours by their alpha, and adds fine grain, which avoids bands in gradients. */
export function finish(data: Uint8Array, grain: number): void {
	for (let at = 0, state = 1; at < data.length; at += 4) {
		const alpha = data[at + 3] as number;
		if (alpha === 0) continue;
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		const shift = ((state >>> 16) / 65_536 - 0.5) * grain;
		for (let part = at; part < at + 3; part++) {
			data[part] = Math.min(255, Math.max(0, Math.round(((data[part] as number) * 255) / alpha + shift)));
		}
	}
}
