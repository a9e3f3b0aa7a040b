import type { Delivery } from './voices.ts';

/** What was understood of `instructions`, and one sentence for each thing that was not. */
export interface Understanding {
	readonly delivery: Delivery;
	readonly warnings: readonly string[];
}

const words: Readonly<Record<string, Partial<Delivery>>> = {
	slow: { tempo: 0.8 },
	slowly: { tempo: 0.8 },
	slower: { tempo: 0.8 },
	fast: { tempo: 1.25 },
	faster: { tempo: 1.25 },
	quick: { tempo: 1.25 },
	quickly: { tempo: 1.25 },
	quicker: { tempo: 1.25 },
	deep: { pitch: 0.84, tract: 0.93 },
	deeply: { pitch: 0.84, tract: 0.93 },
	deeper: { pitch: 0.84, tract: 0.93 },
	low: { pitch: 0.84, tract: 0.93 },
	lower: { pitch: 0.84, tract: 0.93 },
	high: { pitch: 1.2, tract: 1.05 },
	higher: { pitch: 1.2, tract: 1.05 },
	monotone: { range: 0.3 },
	lively: { range: 1.6 },
};

const fillers = new Set(
	'a an and at be bit clear clearly in it its little make normal of pace pitch pitched please quite rate read really rather say so sound speak speaking speech speed talk tempo text the this tone very voice with your you'.split(
		' ',
	),
);
const negations = /\b(?:not|no|never|without|less|too|don'?t|avoid)\b/;
const ambiguous = new Set(['high', 'higher', 'low', 'lower']);
const pitchNouns = new Set(['pitch', 'pitched', 'voice', 'tone']);

/**
 * Reads tempo (slow, fast), pitch (deep, low, high) and melody (monotone, lively) from free words. It never guesses: what it does
 * not know, and every part with a negation, becomes a warning and changes nothing.
 */
export function understand(instructions: string, speed: number): Understanding {
	const found: Partial<Delivery>[] = [];
	const unknown: string[] = [];
	for (const part of instructions.toLowerCase().split(/[.,;:!?\n]+|\b(?:and|but|then)\b/)) {
		if (negations.test(part)) unknown.push(part.trim());
		else readPart(part.match(/[\p{L}\p{N}']+/gu) ?? [], found, unknown);
	}
	return { delivery: combine(found, speed), warnings: explain(unknown) };
}

function readPart(part: readonly string[], found: Partial<Delivery>[], unknown: string[]): void {
	for (const [index, word] of part.entries()) {
		const change = words[word];
		const next = part[index + 1];
		const meansPitch = !ambiguous.has(word) || next === undefined || pitchNouns.has(next);
		if (change && meansPitch) found.push(change);
		else if (!fillers.has(word)) unknown.push(word);
	}
}

function combine(found: readonly Partial<Delivery>[], speed: number): Delivery {
	const neutral = { tempo: 1, pitch: 1, range: 1, tract: 1 };
	// Assigning instead of multiplying: "slow, very slowly" is one wish.
	const wish = Object.assign(neutral, ...found) as Delivery;
	return { ...wish, tempo: wish.tempo * speed };
}

function explain(unknown: readonly string[]): readonly string[] {
	if (unknown.length === 0) return [];
	const distinct = [...new Set(unknown)].filter((part) => part.length > 0);
	const shown = distinct.slice(0, 8).map((part) => `"${part.slice(0, 40)}"`);
	const more = distinct.length > shown.length ? ` and ${distinct.length - shown.length} more` : '';
	return [
		`The instructions ${shown.join(', ')}${more} were not understood: this voice knows slow, fast, deep, low, high, monotone and lively.`,
	];
}
