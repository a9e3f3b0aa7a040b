/** The places, times, weathers and subjects that can be drawn, with their words. The first match is drawn. */
const vocabulary = {
	setting: {
		lake: 'lake river pond fjord water',
		sea: 'sea ocean beach coast shore harbour harbor waves island bay lighthouse boat sailboat ship yacht',
		city: 'city town street skyline skyscraper downtown village bridge',
		forest: 'forest wood woods tree trees jungle park',
		mountains: 'mountain mountains alps peak peaks valley volcano castle hill hills meadow field fields',
		sky: 'sky stars star space planet planets galaxy universe spaceship rocket cosmos',
	},
	time: {
		dawn: 'dawn sunrise morning daybreak',
		dusk: 'dusk sunset evening twilight sundown autumn',
		night: 'night midnight moonlight moon starry stars star space planets galaxy neon',
		day: 'day noon midday afternoon sunny daylight summer spring',
	},
	weather: {
		rain: 'rain rainy raining storm stormy drizzle',
		snow: 'snow snowy snowing snowfall winter',
		clouds: 'cloud clouds cloudy overcast fog foggy mist misty',
		clear: 'clear cloudless',
	},
	subject: { lighthouse: 'lighthouse', castle: 'castle palace fortress tower', boat: 'boat sailboat ship yacht sail' },
} as const;
type Vocabulary = typeof vocabulary;
export type Setting = keyof Vocabulary['setting'];
export type Time = keyof Vocabulary['time'];
export type Weather = keyof Vocabulary['weather'];
/** The meaning of a prompt, and its unknown words: each once, in order. */
type Meaning = { readonly [K in keyof Vocabulary]?: keyof Vocabulary[K] } & { readonly unknown: readonly string[] };

export const settings = Object.keys(vocabulary.setting) as Setting[];

/** Words without a meaning, and the words of the camera. */
const fillers =
	`a an the of at in on above over under by with and or to into from near behind before below through its is
	are some very slow slowly calm quiet small big old picture image photo drawing scene video caption words text says that
	camera pan pans panning tilt zoom zooms zooming fade fades out left right up down still static light`.split(/\s+/);

/** Reads the meaning of a prompt, without its caption. */
export function readPrompt(prompt: string): Meaning {
	const words = wordsOf(quotationOf(prompt)?.rest ?? prompt);
	const meanings = Object.entries(vocabulary).flatMap(([kind, things]) => {
		const thing = Object.entries(things).find(([, list]) => list.split(' ').some((word) => words.includes(word)));
		return thing ? [[kind, thing[0]] as const] : [];
	});
	const known = Object.values(vocabulary).flatMap((kind) => Object.values(kind).join(' ').split(' '));
	const unknown = words.filter((word) => !known.includes(word) && !fillers.includes(word));
	return { ...Object.fromEntries(meanings), unknown: [...new Set(unknown)] };
}

/** The first passage in quotation marks or after `caption:`, and the prompt without it. */
export function quotationOf(prompt: string): { readonly text: string; readonly rest: string } | undefined {
	const line = cleanText(prompt);
	const quoted = /["“„«]([^"“”„«»]{1,300})["”“»]/u.exec(line);
	const match = quoted ?? /(?:words|says|text|caption) '(.{1,300})'/u.exec(line) ?? /caption: (.{1,300})$/u.exec(line);
	const text = match?.[1]?.trim();
	return match && text ? { text, rest: line.replace(match[0], ' ') } : undefined;
}

/** One line: no control, format, private or unassigned characters, no lone surrogates, single spaces. */
export function cleanText(text: string): string {
	const whole = text.slice(0, 32_000).toWellFormed().replaceAll('\ufffd', ' ').normalize('NFC');
	return whole.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\s]+/gu, ' ').trim();
}

/** The words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
	const line = cleanText(text).toLowerCase();
	return line.match(/[\p{L}\p{N}]+/gu) ?? [];
}
