import { stem } from './stem.ts';

/** Words that say nothing about what to do. They may stand between the words of a phrase. */
const fillers = new Set(
	`a an the this that these those it its my our your some of in on at with as by to into onto for from is are be so such
	please kindly can could would should you i we want need like look looks looking seem have has get give gives put set make makes
	making made turn turns convert converts change changes apply applies use using do does perform let lets just now also too
	image images picture pictures photo photos photograph pic pics img original input whole entire everything all version style
	styled effect effects filter filters mode tone toned tones look amount level levels value strength percentage degrees degree px pixel
	pixels wide width tall height high long radius size sized thickness thick color colors colored colour colours coloured
	hello hi thanks thank well ok okay then next after afterwards finally first more overall general nice good great beautiful
	around over across along between against about approximately exactly only out them they which one ones here there
	add adds adding create creates draw draws insert include place places position positioned placed edit edits editing modify transform result part parts area areas region regions fix correct automatic automatically
	it's that's there's i'd i'm solid plain masked mask selected selection both gradient linear`
		.split(/\s+/)
		.filter(Boolean),
);

/** How strongly something is to be done, as a factor of its usual amount. */
const strengths: Readonly<Record<string, number>> = {
	slightly: 0.5,
	slight: 0.5,
	subtle: 0.5,
	subtly: 0.5,
	bit: 0.5,
	little: 0.5,
	gently: 0.5,
	gentle: 0.5,
	lightly: 0.5,
	softly: 0.5,
	somewhat: 0.7,
	mildly: 0.6,
	touch: 0.5,
	very: 1.7,
	strongly: 1.7,
	strong: 1.7,
	stronger: 1.4,
	heavily: 1.8,
	heavy: 1.8,
	much: 1.5,
	lot: 1.6,
	really: 1.4,
	extremely: 2,
	highly: 1.6,
	intensely: 1.7,
	dramatically: 1.8,
	dramatic: 1.6,
	quite: 1.2,
	considerably: 1.5,
	significantly: 1.5,
};

const directions: Readonly<Record<string, 1 | -1>> = {
	increase: 1,
	increased: 1,
	increasing: 1,
	more: 1,
	boost: 1,
	boosted: 1,
	raise: 1,
	higher: 1,
	greater: 1,
	up: 1,
	lift: 1,
	enhance: 1,
	decrease: -1,
	decreased: -1,
	decreasing: -1,
	less: -1,
	reduce: -1,
	reduced: -1,
	reducing: -1,
	lower: -1,
	lowered: -1,
	drop: -1,
	weaker: -1,
	cut: -1,
	down: -1,
};

const negations = new Set(
	"no not without never don't dont doesn't avoid except remove removes removing delete undo erase".split(' '),
);

/** Whether a word carries no meaning of its own. */
export function isFiller(word: string): boolean {
	return fillers.has(word);
}

/** 0.5 for `slightly`, 1.7 for `very`; undefined for other words. */
export function strengthOf(word: string): number | undefined {
	return Object.hasOwn(strengths, word) ? strengths[word] : undefined;
}

/** 1 for `increase` and `more`, -1 for `reduce` and `less`; undefined for other words. */
export function directionOf(word: string): 1 | -1 | undefined {
	return Object.hasOwn(directions, word) ? directions[word] : undefined;
}

/** Whether a word says that something is not to be done. */
export function isNegation(word: string): boolean {
	return negations.has(word);
}

const lookModifiers = new Set(['bright', 'vivid', 'deep', 'pale', 'soft', 'warm', 'cool'].map(stem));

/** Whether a word in front of a colour only describes it: `a bright red border` brightens nothing. */
export function isColorModifier(stemmed: string): boolean {
	return lookModifiers.has(stemmed);
}
