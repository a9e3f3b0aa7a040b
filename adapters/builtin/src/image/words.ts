import type { Meaning } from '../scene/lexicon.ts';
import { meaningOf } from '../scene/lexicon.ts';

/** Pictures that are no scenes in the open. */
export type Genre = 'scene' | 'hills' | 'portrait' | 'bouquet' | 'pattern';

const genres: Record<Exclude<Genre, 'scene'>, string> = {
	hills: 'hill hills hillside tuscany tuscan rolling highland highlands vineyard',
	portrait: 'portrait portraits face headshot bust selfie queen king princess prince duke duchess mona lisa',
	bouquet: 'bouquet vase still-life flowerpot',
	pattern:
		'pattern patterns geometric geometry tile tiles mosaic wallpaper tessellation truchet quilt textile ornament ornamental kaleidoscope mandala',
};
const byWord = new Map(
	Object.entries(genres).flatMap(([genre, words]) => words.split(' ').map((word) => [word, genre as Genre] as const)),
);

/** Words that shape a request and mean nothing that could be drawn. */
const plain = new Set(
	`a an the of in on at by with and or to for from into onto over under above below near behind before after between through across along
	around against beside beneath among upon off out up down is are was be been being it its this that these those there here as so very some any
	my your his her our their i me we you he she they them who which what where when while not no only just please can could would should will
	draw drawn make makes made paint painted create created generate show showing shows depict depicting give want image images picture pictures
	photo photograph drawing painting illustration render rendering artwork art graphic poster card banner print postcard sign says say saying
	reads read reading caption captioned words word text title titled written writing label labelled labeled called named scene scenery landscape
	view background foreground one beautiful nice lovely great still life slogan headline quote quotation without nothing except but bottom top corner`
		.split(/\s+/u)
		.filter((word) => word !== ''),
);

/** How a portrait's sitter is to look; what is missing is left to chance. */
export interface Sitter {
	readonly royal: boolean;
	readonly hair: 'long' | 'short' | undefined;
	readonly beard: boolean;
	readonly glasses: boolean;
	readonly hat: boolean;
}

const traits = {
	royal: 'king queen prince princess emperor empress royal duke duchess crown',
	long: 'woman girl lady queen princess empress duchess mother grandmother she her mona lisa',
	short: 'man boy gentleman king prince emperor duke father grandfather he him his',
	beard: 'beard bearded',
	glasses: 'glasses spectacles',
	hat: 'hat',
};
const traitOf = new Map<string, Set<string>>();
for (const [trait, words] of Object.entries(traits)) {
	for (const word of words.split(' ')) {
		traitOf.set(word, new Set(traitOf.get(word)).add(trait));
	}
}

/** Reads how a sitter is to look. */
export function sitterOf(words: readonly string[]): Sitter {
	const found = new Set(words.flatMap((word) => [...(traitOf.get(word) ?? [])]));
	return {
		royal: found.has('royal'),
		hair: found.has('long') ? 'long' : found.has('short') ? 'short' : undefined,
		beard: found.has('beard'),
		glasses: found.has('glasses'),
		hat: found.has('hat'),
	};
}

/** What a word means to a picture. */
export type WordMeaning =
	| { readonly kind: 'plain' }
	| { readonly kind: 'unknown' }
	| { readonly kind: 'known'; readonly meaning: Meaning; readonly genre?: Genre };

/** Looks a lower-case word up, for a picture of a genre. */
export function lookUp(word: string, genre: Genre): WordMeaning {
	return genre === 'portrait' && traitOf.has(word) && !meaningOf(word)
		? { kind: 'known', meaning: {} }
		: lookUpAnywhere(word);
}

function lookUpAnywhere(word: string): WordMeaning {
	const genre = byWord.get(word);
	const meaning = meaningOf(word);
	if (meaning || genre) return { kind: 'known', meaning: meaning ?? {}, ...(genre && { genre }) };
	return plain.has(word) ? { kind: 'plain' } : { kind: 'unknown' };
}

/** Words that only together mean what they mean, and what they count as. */
const compounds: readonly (readonly [RegExp, string])[] = [
	[/\b(?:under|beneath|below) (?:the )?(?:water|sea|ocean|waves)\b/g, 'underwater'],
	[/\bhot air balloons?\b/g, 'balloon'],
	[/\bnorthern lights\b/g, 'aurora'],
	[/\bfull moon\b/g, 'moon'],
	[/\bcherry blossoms?\b/g, 'blossom'],
	[/\bshooting stars?\b/g, 'comet'],
	[/\bfalling leaves\b/g, 'leaves'],
	[/\bwolves\b/g, 'wolf'],
];

/** Replaces expressions of several words by the word that is known. */
export function joinCompounds(words: readonly string[]): readonly string[] {
	let text = words.join(' ');
	for (const [pattern, word] of compounds) text = text.replace(pattern, word);
	return text.split(' ').filter((word) => word !== '');
}

/** Which genre the words ask for. */
export function genreOf(words: readonly string[]): Genre {
	if (/\bstill life\b/.test(words.join(' '))) return 'bouquet';
	for (const genre of ['portrait', 'bouquet', 'pattern', 'hills'] as const) {
		if (words.some((word) => byWord.get(word) === genre)) return genre;
	}
	const found = words.map(meaningOf).filter((meaning) => meaning !== undefined);
	const flowers = found.some(({ element }) => element === 'flowers');
	const elsewhere = found.some(({ setting, subject }) => setting !== undefined || subject !== undefined);
	return flowers && !elsewhere ? 'bouquet' : 'scene';
}
