import type { Element, Setting, Subject, Time, Weather } from '../scene/lexicon.ts';
import type { ScenePlan } from '../scene/plan.ts';
import { type Genre, lookUp } from './words.ts';

const settings: Record<Setting, string> = {
	sea: 'the sea',
	lake: 'a lake',
	mountains: 'mountains',
	forest: 'a forest',
	meadow: 'a meadow',
	city: 'a city',
	desert: 'a desert',
	winter: 'a winter landscape',
	space: 'space',
	underwater: 'the world under water',
	sky: 'the sky above the clouds',
	abstract: 'abstract shapes',
};
const times: Record<Time, string> = {
	dawn: 'at dawn',
	day: 'by day',
	dusk: 'at dusk',
	night: 'at night',
};
const weathers: Record<Weather, string> = {
	clear: 'under a clear sky',
	clouds: 'under clouds',
	rain: 'in the rain',
	storm: 'in a storm',
	snow: 'in the snow',
	fog: 'in fog',
};
const others: Partial<Record<Element, string>> = {
	fire: 'embers',
	rainbow: 'a rainbow',
	aurora: 'northern lights',
	fireflies: 'floating lights',
	petals: 'falling petals',
	leaves: 'falling leaves',
	birds: 'birds',
	bubbles: 'bubbles',
	fireworks: 'fireworks',
	flowers: 'flowers',
	stars: 'stars',
	moon: 'the moon',
};
/** So many unknown words are named at most. */
const NAMED = 20;

/** Tells in words what a plan draws, and which words of the prompt nobody knew or had no room; `kept` is what it could not do without. */
export function describe(
	plan: {
		readonly genre: Genre;
		readonly scene: ScenePlan;
		readonly caption?: { readonly text: string };
		readonly transparent: boolean;
	},
	words: readonly string[],
	kept: readonly string[] = [],
): string {
	const { genre, scene, caption, transparent } = plan;
	const parts = [
		`${subjectOf(genre, scene, words)}${transparent ? ' on a transparent background' : ''}`,
		...(caption ? [`caption “${caption.text}”`] : []),
	];
	const unknown = [...new Set(words.filter((word) => lookUp(word, genre).kind === 'unknown'))];
	const left = leftOut(genre, scene, words);
	const named = unknown.slice(0, NAMED).map((word) => word.slice(0, 40));
	const beyond = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : '';
	return [
		`A drawn ${genre === 'scene' || genre === 'hills' ? 'scene' : 'picture'}: ${parts.join('; ')}.`,
		...(kept.length > 0 ? [`Cannot be left out: ${kept.join(', ')}.`] : []),
		...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
		...(named.length > 0 ? [`Not understood: ${named.join(', ')}${beyond}.`] : []),
	].join(' ');
}

function subjectOf(genre: Genre, scene: ScenePlan, words: readonly string[]): string {
	const { setting, time, weather, subject } = scene;
	const figure = subject && subject !== 'person' ? named(subject, words) : undefined;
	switch (genre) {
		case 'portrait':
			return `a portrait of ${figure ?? 'a person'} in an ornate frame`;
		case 'bouquet':
			return 'a vase of flowers';
		case 'pattern':
			return `a geometric pattern${figure ? ` with ${figure}` : ''}`;
	}
	const isClear = setting === 'sky' && scene.without?.includes('clouds');
	const place = genre === 'hills' ? 'rolling hills' : isClear ? 'the sky' : settings[setting];
	const open = setting !== 'space' && setting !== 'underwater' && setting !== 'abstract';
	const seen = scene.elements
		.filter((element) => others[element] && !silent(element, scene))
		.map((element) => others[element] as string);
	const things = [...(subject ? [named(subject, words)] : []), ...seen];
	const shown = things.length > 0 ? `, with ${list(things)}` : '';
	return `${place}${open ? ` ${times[time]} ${weathers[weather]}` : ''}${shown}`;
}

/** What belongs to its surroundings is not worth a word. */
function silent(element: Element, { setting, weather, time }: ScenePlan): boolean {
	const covered = weather === 'storm' || weather === 'rain' || weather === 'fog';
	if (element === 'moon') return covered || setting === 'space' || time !== 'night';
	if (element === 'stars') return setting === 'space' || setting === 'abstract' || setting === 'underwater';
	return element === 'bubbles' && setting === 'underwater';
}

/** `a dog`, or `a dog for “fox”` where the word means something near. */
function named(subject: Subject, words: readonly string[]): string {
	const article = subject === 'ufo' ? 'a' : /^[aeiou]/.test(subject) ? 'an' : 'a';
	const all = words.filter((each) => meaningFor(each)?.subject === subject);
	const word = all.find((each) => each.startsWith(subject)) ?? all[0];
	const same = word === undefined || word.startsWith(subject) || subject.startsWith(word);
	return `${article} ${subject}${same ? '' : ` for “${word}”`}`;
}

/** Settings that others show as well. */
const shows: Partial<Record<Setting, readonly Setting[]>> = {
	winter: ['mountains', 'forest'],
	lake: ['mountains'],
	mountains: ['forest'],
	forest: ['meadow'],
};

/** Words that are known but did not get into the picture: second subjects and places. */
function leftOut(genre: Genre, scene: ScenePlan, words: readonly string[]): readonly string[] {
	const left = words.filter((word) => {
		const { subject, setting } = meaningFor(word) ?? {};
		if (subject)
			return genre === 'bouquet' || (subject !== scene.subject && !(subject === 'planet' && scene.setting === 'space'));
		if (setting === undefined || setting === scene.setting || setting === 'sky') return false;
		return genre === 'scene' && !shows[scene.setting]?.includes(setting);
	});
	return [...new Set(left)];
}

function meaningFor(word: string) {
	const found = lookUp(word, 'scene');
	return found.kind === 'known' ? found.meaning : undefined;
}

function list(things: readonly string[]): string {
	return things.length < 2 ? things.join('') : `${things.slice(0, -1).join(', ')} and ${things.at(-1)}`;
}
