/** How the raw sound of one utterance becomes a part of a longer recording. */
export interface Shape {
	/** Factor on every sample, so that voices are about equally loud. */
	readonly gain: number;
	/** Silence after the utterance, in milliseconds. */
	readonly pauseMs: number;
}

/** After the gain. The statistical voices hum at up to 150 where they should be silent. */
const silenceBelow = 190;
const keepBeforeMs = 20;
const keepAfterMs = 40;
const fadeInMs = 4;
const fadeOutMs = 15;

/**
 * Cuts the synthesizer's own silence off both ends, fades the edges so that they do not click, and appends the pause.
 * Returns signed 16-bit little-endian bytes; an utterance without sound becomes its pause.
 */
export function shapeUtterance(samples: Int16Array, sampleRate: number, shape: Shape): Uint8Array<ArrayBuffer> {
	const per = (ms: number) => Math.round((sampleRate * ms) / 1000);
	const [start, end] = soundingPart(samples, silenceBelow / shape.gain, per(keepBeforeMs), per(keepAfterMs));
	const length = end - start;
	const fadeIn = Math.min(per(fadeInMs), length >> 1);
	const fadeOut = Math.min(per(fadeOutMs), length >> 1);
	const bytes = new Uint8Array((length + per(shape.pauseMs)) * 2);
	const view = new DataView(bytes.buffer);
	for (let index = 0; index < length; index++) {
		const edge = Math.min(1, (index + 1) / fadeIn, (length - index) / fadeOut);
		const value = Math.round((samples[start + index] ?? 0) * shape.gain * edge);
		view.setInt16(index * 2, Math.max(-32_768, Math.min(32_767, value)), true);
	}
	return bytes;
}

function soundingPart(
	samples: Int16Array,
	threshold: number,
	before: number,
	after: number,
): readonly [start: number, end: number] {
	const sounds = (sample: number) => Math.abs(sample) >= threshold;
	const first = samples.findIndex(sounds);
	if (first < 0) return [0, 0];
	const last = samples.findLastIndex(sounds);
	return [Math.max(0, first - before), Math.min(samples.length, last + 1 + after)];
}
