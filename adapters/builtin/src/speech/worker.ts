import { serveJobs } from '../serve-jobs.ts';
import { type FliteVoice, synthesize } from './flite.ts';

/** One utterance of a thread. */
export interface Utterance {
	/** Printable ASCII. */
	readonly text: string;
	readonly voice: FliteVoice;
	/** Rate of the voice's samples, in Hz. */
	readonly rate: number;
	/** flite features by name. */
	readonly settings: Readonly<Record<string, number>>;
	/** Factor on every sample, so that voices are about equally loud. */
	readonly gain: number;
	/** Silence after the utterance, in milliseconds at `rate`. */
	readonly pauseMs: number;
}

/** Samples below this count as silence, after the gain. The statistical voices hum at up to 150 in pauses. */
const silenceBelow = 190;
const [keepBeforeMs, keepAfterMs] = [20, 40];
const [fadeInMs, fadeOutMs] = [4, 15];

export default serveJobs((utterance: Utterance, report: (started: true) => void): Uint8Array => {
	report(true);
	return shape(synthesize(utterance.text, utterance.voice, utterance.settings), utterance);
});

/** Removes silence at both ends, fades the edges against clicks and appends the pause. Returns s16le bytes. */
function shape(samples: Int16Array, { rate, gain, pauseMs }: Utterance): Uint8Array {
	const per = (ms: number) => Math.round((rate * ms) / 1000);
	const isAudible = (sample: number) => Math.abs(sample) >= silenceBelow / gain;
	const first = samples.findIndex(isAudible);
	const start = Math.max(0, first - per(keepBeforeMs));
	const end = first < 0 ? 0 : Math.min(samples.length, samples.findLastIndex(isAudible) + 1 + per(keepAfterMs));
	const length = end - start;
	const fadeIn = Math.min(per(fadeInMs), length >> 1);
	const fadeOut = Math.min(per(fadeOutMs), length >> 1);
	const shaped = new Int16Array(length + per(pauseMs));
	for (let index = 0; index < length; index++) {
		const edge = Math.min(1, (index + 1) / fadeIn, (length - index) / fadeOut);
		const value = Math.round((samples[start + index] ?? 0) * gain * edge);
		shaped[index] = Math.max(-32_768, Math.min(32_767, value));
	}
	return new Uint8Array(shaped.buffer);
}
