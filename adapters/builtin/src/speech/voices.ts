import type { FliteVoice } from './flite.ts';

/** A named way to speak: a flite voice and how it is changed. */
interface Voice {
	readonly base: FliteVoice;
	/**
	 * The rate at which the samples are played, relative to the voice's own: above 1 the vocal tract is shorter. It also
	 * changes pitch and tempo; `pitch` and `stretch` are the values as heard, and are corrected for it.
	 */
	readonly tract?: number;
	/** Mean pitch in Hz as heard. Absent: the voice's own, times `tract`. `rms` has a fixed pitch. */
	readonly pitch?: number;
	/** Range of the pitch, relative to the voice's own. */
	readonly range?: number;
	/** Duration relative to flite's neutral tempo. */
	readonly stretch: number;
}

/** Every voice: the OpenAI names first, then flite's own. Tracts are multiples of 1/20, for cheap resampling. */
export const voices: Readonly<Record<string, Voice>> = {
	alloy: { base: 'slt', tract: 0.9, pitch: 142, range: 1.2, stretch: 1 },
	ash: { base: 'awb', tract: 0.95, pitch: 108, stretch: 1 },
	ballad: { base: 'awb', pitch: 122, range: 1.5, stretch: 1.12 },
	coral: { base: 'slt', tract: 1.05, pitch: 192, range: 1.5, stretch: 1 },
	echo: { base: 'rms', tract: 1.05, stretch: 0.92 },
	fable: { base: 'awb', tract: 1.1, pitch: 148, range: 1.4, stretch: 1.02 },
	onyx: { base: 'rms', tract: 0.85, stretch: 1 },
	nova: { base: 'slt', tract: 1.1, pitch: 212, range: 1.4, stretch: 0.92 },
	sage: { base: 'slt', tract: 0.95, pitch: 160, range: 1.1, stretch: 1.08 },
	shimmer: { base: 'slt', tract: 1.2, pitch: 236, range: 1.2, stretch: 1.02 },
	verse: { base: 'kal16', tract: 1.05, pitch: 118, range: 1.5, stretch: 1.05 },
	marin: { base: 'slt', pitch: 178, range: 1.6, stretch: 0.97 },
	cedar: { base: 'rms', tract: 0.95, stretch: 0.95 },
	kal: { base: 'kal', stretch: 1.1 },
	kal16: { base: 'kal16', stretch: 1.1 },
	awb: { base: 'awb', stretch: 1 },
	rms: { base: 'rms', stretch: 1 },
	slt: { base: 'slt', stretch: 1 },
};

/** The changes to a voice in one request, relative to the voice. `tract` below 1 is deeper. */
interface Delivery {
	readonly tempo: number;
	readonly pitch: number;
	readonly tract: number;
}

/** For each flite voice: the rate, a gain for equal loudness, the mean pitch in Hz and its standard deviation. */
const bases = {
	kal: { rate: 8_000, gain: 0.9, mean: 95, deviation: 11 },
	kal16: { rate: 16_000, gain: 2.2, mean: 95, deviation: 11 },
	awb: { rate: 16_000, gain: 1.05, mean: 131, deviation: 25 },
	rms: { rate: 16_000, gain: 1.15, mean: 101, deviation: 20 },
	slt: { rate: 16_000, gain: 0.65, mean: 172, deviation: 25 },
} as const;

/** Converts a voice and a delivery to settings of flite. The samples must be played at `sampleRate`, in Hz. */
export function fliteSettings({ base, pitch, range = 1, stretch, tract: own = 1 }: Voice, delivery: Delivery) {
	const { rate, gain, mean, deviation } = bases[base];
	const tract = own * delivery.tract;
	const duration = (stretch * tract) / delivery.tempo;
	return {
		voice: base,
		rate,
		gain,
		// Multiples of 40 Hz keep the resampler's filter bank small.
		sampleRate: Math.round((rate * tract) / 40) * 40,
		settings: {
			int_f0_target_mean: rounded(((pitch ?? mean * own) * delivery.pitch) / tract),
			int_f0_target_stddev: rounded(deviation * range),
			duration_stretch: rounded(base.startsWith('kal') ? duration : compensated(duration)),
		},
	};
}

/** Corrects short stretches, by measured values: each state of a statistical voice lasts at least one frame. */
function compensated(stretch: number): number {
	return Math.max(0.08, stretch < 0.5 ? stretch - 0.15 * (0.5 - stretch) : stretch);
}

function rounded(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}

const instructionPatterns: readonly (readonly [RegExp, Partial<Delivery>])[] = [
	[/\bslow(?:er|ly)?\b/gi, { tempo: 0.8 }],
	[/\b(?:fast|quick)(?:er|ly)?\b/gi, { tempo: 1.25 }],
	[/\b(?:deep(?:er|ly)?|low(?:er)?(?=,|;|\.|$|[ -](?:pitch|voice|tone|and\b)))/gi, { pitch: 0.84, tract: 0.93 }],
	[/\bhigh(?:er)?(?=,|;|\.|$|[ -](?:pitch|voice|tone|and\b))/gi, { pitch: 1.2, tract: 1.05 }],
];
const fillers =
	/\b(?:an?|and|in|it|with|please|speak|talk|read|sound|voice|pitch(?:ed)?|pace|tempo|tone|very|quite|the|your?)\b/gi;

/** Reads speed and pitch from words. Other words give a warning. With a negation, nothing changes. */
export function deliveryOf(instructions: string, speed: number): { delivery: Delivery; warnings: readonly string[] } {
	const isNegated = /\b(?:not|no|never|without|less|too|don['’]?t|avoid)\b/i.test(instructions);
	const matched = instructionPatterns.filter(([words]) => !isNegated && instructions.search(words) >= 0);
	const base: Delivery = Object.assign({ tempo: 1, pitch: 1, tract: 1 }, ...matched.map(([, change]) => change));
	const rest = matched.reduce((text, [words]) => text.replace(words, ''), instructions).replace(fillers, '');
	const warning = 'Only part of the instructions was followed: this voice supports slow, fast, deep and high.';
	return { delivery: { ...base, tempo: base.tempo * speed }, warnings: /[\p{L}\p{N}]/u.test(rest) ? [warning] : [] };
}
