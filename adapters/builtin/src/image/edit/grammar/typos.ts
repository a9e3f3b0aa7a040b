import { namedColor } from './colors.ts';
import { directionOf, isFiller, isNegation, strengthOf } from './fillers.ts';
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';

/** Reads words with a slip of the keyboard as what was meant: `grayscle`, `sharpn`, `blak`. */
export type Corrector = (tokens: readonly Token[]) => readonly Token[];

/** Words of ordinary English that are one letter away from a word of the table. */
const ordinary = new Set(
	`back pain point fame flame form flower flowers block blank share shark shape shore college village train brain captain plain blue ground
	short sport bold boarder rotten country cartons carton shallow shade crown crops clown glow grow white bright light night place
	plate plane price piece center enter after paste taste poster posters postman tinder rested mirth miner coast toast vintages stickers
	cutout resides reside soften often scales scare scarf score stale write wrote wire tile title little tilts closer loser mask masks
	context media multiple clarify though printed printing inserted consent pointed pointing overlays overlap sharing covers covert
	caution growing headings hearing lightning swallow cured invented contest thorough revolution screens inert cosmic resale coder
	person persons object objects content shallow collate redaction
	pad pads patch pitch frames framer shadows shadowy cooler colder warmer water waters noisy nosy rain rainy paints pints`.split(
		/\s+/,
	),
);

/** Makes the corrector of phrases. A word counts as mistyped when it has five letters (a colour: four) or more, nobody knows it, and it differs from exactly one longer word of the phrases by one slip behind its first letter. */
export function createCorrector(phrases: readonly string[]): Corrector {
	const words = new Set(phrases.flatMap((phrase) => phrase.toLowerCase().match(/\p{L}{3,}/gu) ?? []));
	const stems = new Set([...words].map(stem));
	const targets = new Map<string, string[]>();
	for (const word of words) {
		if (word.length < 5 || isFiller(word)) continue;
		targets.set(word[0] as string, [...(targets.get(word[0] as string) ?? []), word]);
	}
	const isKnown = (text: string): boolean =>
		isFiller(text) ||
		isNegation(text) ||
		strengthOf(text) !== undefined ||
		directionOf(text) !== undefined ||
		namedColor(text) !== undefined ||
		ordinary.has(text) ||
		stems.has(stem(text));
	return (tokens) =>
		tokens.map((token) => {
			if (token.kind !== 'word' || token.text.length < 4 || token.text.length > 20) return token;
			if (isKnown(token.text)) return token;
			const near = (targets.get(token.text[0] as string) ?? []).filter(
				(word) => (token.text.length > 4 || namedColor(word)) && isSlip(token.text, word),
			);
			const [meant] = near;
			if (meant === undefined || new Set(near.map(stem)).size !== 1) return token;
			const color = namedColor(meant);
			return { ...token, text: meant, stem: stem(meant), ...(color && { color }) };
		});
}

/** One letter too few or too many, two that changed places, or, in words of seven letters, a wrong one. */
function isSlip(typed: string, meant: string): boolean {
	const more = typed.length - meant.length;
	if (Math.abs(more) > 1) return false;
	let at = 0;
	while (at < typed.length && typed[at] === meant[at]) at++;
	if (more > 0) return typed.slice(at + 1) === meant.slice(at);
	if (more < 0) return typed.slice(at) === meant.slice(at + 1);
	if (typed[at] === meant[at + 1] && typed[at + 1] === meant[at]) {
		return typed.slice(at + 2) === meant.slice(at + 2);
	}
	return meant.length >= 7 && typed.slice(at + 1) === meant.slice(at + 1);
}
