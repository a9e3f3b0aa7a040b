import type { FliteVoice } from './flite.ts';

/** A named way to speak: a flite voice and how it is bent. */
export interface Voice {
	readonly base: FliteVoice;
	/** Samples per second that flite makes for this voice. */
	readonly baseRate: 8_000 | 16_000;
	/**
	 * Length of the vocal tract relative to the voice's own, as the rate at which its samples are played: above 1 the speaker is
	 * smaller. Pitch and tempo move along; `pitch` and `stretch` are given as heard and corrected for it.
	 */
	readonly tract: number;
	/** Mean pitch in Hz as heard. Absent: the voice's own, times `tract`. `rms` has a fixed pitch. */
	readonly pitch?: number;
	/** Liveliness of the melody, relative to the voice's own. */
	readonly range: number;
	/** Duration relative to flite's neutral tempo. */
	readonly stretch: number;
}

const rms = { base: 'rms', baseRate: 16_000, tract: 1, range: 1, stretch: 0.95 } as const;
const slt = { base: 'slt', baseRate: 16_000, tract: 1, range: 1, stretch: 1 } as const;
const awb = { base: 'awb', baseRate: 16_000, tract: 1, range: 1, stretch: 1 } as const;
const kal16 = { base: 'kal16', baseRate: 16_000, tract: 1, range: 1, stretch: 1.1 } as const;

/** Every voice: the OpenAI names first, then flite's own. Tracts are multiples of 1/20, so that resampling stays cheap. */
export const voices: Readonly<Record<string, Voice>> = {
	alloy: { ...slt, tract: 0.9, pitch: 142, range: 1.2 },
	ash: { ...awb, tract: 0.95, pitch: 108 },
	ballad: { ...awb, tract: 1, pitch: 122, range: 1.5, stretch: 1.12 },
	coral: { ...slt, tract: 1.05, pitch: 192, range: 1.5 },
	echo: { ...rms, tract: 1.05, stretch: 0.92 },
	fable: { ...awb, tract: 1.1, pitch: 148, range: 1.4, stretch: 1.02 },
	onyx: { ...rms, tract: 0.85, stretch: 1 },
	nova: { ...slt, tract: 1.1, pitch: 212, range: 1.4, stretch: 0.92 },
	sage: { ...slt, tract: 0.95, pitch: 160, range: 1.1, stretch: 1.08 },
	shimmer: { ...slt, tract: 1.2, pitch: 236, range: 1.2, stretch: 1.02 },
	verse: { ...kal16, tract: 1.05, pitch: 118, range: 1.5, stretch: 1.05 },
	marin: { ...slt, tract: 1, pitch: 178, range: 1.6, stretch: 0.97 },
	cedar: { ...rms, tract: 0.95 },
	kal: { ...kal16, base: 'kal', baseRate: 8_000 },
	kal16,
	awb,
	rms: { ...rms, stretch: 1 },
	slt,
};

/** How one request wants its voice, each relative to the voice itself. */
export interface Delivery {
	/** Tempo, 0.25 to 4 and somewhat beyond. */
	readonly tempo: number;
	readonly pitch: number;
	readonly range: number;
	/** Tract on top of the voice's own: below 1 is deeper. */
	readonly tract: number;
}

/** A voice and a delivery in flite's terms. */
export interface FliteTuning {
	/** Rate at which flite's samples are to be played, in Hz. */
	readonly sampleRate: number;
	readonly settings: Readonly<Record<string, number>>;
	readonly gain: number;
}

const gains: Readonly<Record<FliteVoice, number>> = {
	kal: 0.9,
	kal16: 2.2,
	awb: 1.05,
	rms: 1.15,
	slt: 0.65,
};

/** Each voice's own mean pitch in Hz and the standard deviation that flite gives it. */
const melody: Readonly<Record<FliteVoice, { readonly mean: number; readonly deviation: number }>> = {
	kal: { mean: 95, deviation: 11 },
	kal16: { mean: 95, deviation: 11 },
	awb: { mean: 131, deviation: 25 },
	rms: { mean: 101, deviation: 20 },
	slt: { mean: 172, deviation: 25 },
};

/** Translates a voice and a delivery into flite's settings. */
export function tune(voice: Voice, delivery: Delivery): FliteTuning {
	const tract = voice.tract * delivery.tract;
	const own = melody[voice.base];
	const pitch = ((voice.pitch ?? own.mean * voice.tract) * delivery.pitch) / tract;
	const stretch = (voice.stretch * tract) / delivery.tempo;
	return {
		// Multiples of 40 Hz keep the resampler's filter bank small.
		sampleRate: Math.round((voice.baseRate * tract) / 40) * 40,
		settings: {
			int_f0_target_mean: rounded(pitch),
			int_f0_target_stddev: rounded(own.deviation * voice.range * delivery.range),
			duration_stretch: rounded(isDiphone(voice.base) ? stretch : compensated(stretch)),
		},
		gain: gains[voice.base],
	};
}

function isDiphone(voice: FliteVoice): boolean {
	return voice === 'kal' || voice === 'kal16';
}

/** The statistical voices give every state at least one frame, so very short stretches come out too long. Measured. */
function compensated(stretch: number): number {
	return Math.max(0.08, stretch < 0.5 ? stretch - 0.15 * (0.5 - stretch) : stretch);
}

function rounded(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
