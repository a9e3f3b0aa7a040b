import {
	type Element,
	type Meaning,
	meaningOf,
	type Setting,
	type Subject,
	type Time,
	type Weather,
} from './lexicon.ts';
import { type CameraWords, cameraWords } from './motion.ts';
import { choosePalette, type Palette } from './palette.ts';
import { wordsOf } from './prompt.ts';
import { createRandom, hashText, type Random } from './random.ts';

/** Everything that decides a drawn video, as plain data: equal plans give equal pictures. */
export interface ScenePlan {
	readonly setting: Setting;
	readonly time: Time;
	readonly weather: Weather;
	readonly elements: readonly Element[];
	/** What is left out although it belongs to every scene: the sun, clouds in a clear sky. */
	readonly without?: readonly Absent[];
	readonly subject?: Subject;
	readonly palette: Palette;
	/** How far down the horizon lies, as a fraction of the height. */
	readonly horizon: number;
	/** Where sun or moon stand, as fractions of the frame. */
	readonly light: { readonly x: number; readonly y: number; readonly size: number };
	/** Where the subject stands, as a fraction of the width. */
	readonly stage: number;
	/** Direction and strength of the camera's sideways motion, -1.4 to 1.4. */
	readonly pan: number;
	readonly camera: CameraWords;
	/** Seeds the lasting shapes: equal for a remix and its original. */
	readonly shapeSeed: number;
	/** Seeds clouds, stars and particles: differs with the request's seed. */
	readonly detailSeed: number;
}

/** What a scene may be without. */
export type Absent = Element | Weather;

/** What a plan is made from. */
export interface PlanInput {
	readonly prompt: string;
	/** The prompt of the video that this one varies: it keeps the composition where `prompt` says nothing else. */
	readonly remixOf?: string;
	readonly seed: number;
	/** What composition, hues and unknown words are chosen by; absent: the text of `remixOf` or `prompt`. */
	readonly composition?: string;
}

/** Reads a prompt. Words that nobody knows still choose place, hues and composition, through their hash. */
export function planScene({ prompt, remixOf, seed, composition }: PlanInput): ScenePlan {
	const words = wordsOf(prompt);
	const found = [...words, ...wordsOf(remixOf ?? '')].map(meaningOf).filter((m) => m !== undefined);
	const shapeSeed = hashText(composition ?? remixOf ?? prompt);
	// One sequence per question, so that a remix that answers one of them with words keeps the others.
	const random = createRandom(shapeSeed);
	const [place, hour, hues] = [1, 2, 3].map((i) => createRandom(shapeSeed + i)) as [Random, Random, Random];
	const setting = first(found, 'setting') ?? first(found, 'home') ?? place.pick(unknownSettings);
	const weather = first(found, 'weather') ?? defaultWeather(setting, hour);
	const time = first(found, 'time') ?? defaultTime(setting, found, hour);
	const color = first(found, 'color');
	const subject = first(found, 'subject');
	const camera = cameraWords(words);
	const way = random.chance(0.5) ? 1 : -1;
	const pace = random.range(0.8, 1.4);
	return {
		setting,
		time,
		weather,
		elements: elementsOf(found, setting, time, weather),
		...(subject && { subject }),
		palette: choosePalette({ setting, time, weather, ...(color && { color }) }, hues),
		horizon: random.range(0.54, 0.64),
		light: { x: lightSide(random), y: lightHeight(time, random), size: random.range(0.85, 1.25) },
		stage: random.range(0.36, 0.64),
		pan: camera.still ? 0 : (camera.pan ?? way) * pace,
		camera,
		shapeSeed,
		detailSeed: hashText(`${seed} ${prompt}`),
	};
}

const unknownSettings: readonly Setting[] = ['abstract', 'abstract', 'abstract', 'mountains', 'meadow', 'sea', 'sky'];

/** Lights that need a dark sky. */
const nightly: ReadonlySet<Element> = new Set(['moon', 'stars', 'aurora', 'fireworks', 'fireflies']);

function first<K extends keyof Meaning>(found: readonly Meaning[], key: K): Meaning[K] | undefined {
	return found.find((meaning) => meaning[key] !== undefined)?.[key];
}

function defaultWeather(setting: Setting, random: Random): Weather {
	if (setting === 'winter') return 'snow';
	return random.chance(0.55) ? 'clouds' : 'clear';
}

function defaultTime(setting: Setting, found: readonly Meaning[], random: Random): Time {
	if (setting === 'space') return 'night';
	if (found.some(({ element }) => element !== undefined && nightly.has(element))) return 'night';
	return random.pick<Time>(['dawn', 'day', 'day', 'day', 'dusk', 'dusk', 'night']);
}

function elementsOf(found: readonly Meaning[], setting: Setting, time: Time, weather: Weather): readonly Element[] {
	const all = new Set(found.flatMap((meaning) => meaning.element ?? []));
	const open = weather === 'clear' || weather === 'clouds' || weather === 'snow';
	if (time === 'night' && open) all.add('stars');
	if (setting === 'underwater') all.add('bubbles');
	if (setting === 'space') all.add('stars');
	if (!all.has('moon') && !all.has('sun')) all.add(time === 'night' ? 'moon' : 'sun');
	return [...all];
}

/** Away from the middle, so that light and subject do not hide each other. */
function lightSide(random: Random): number {
	return random.chance(0.5) ? random.range(0.16, 0.36) : random.range(0.64, 0.84);
}

function lightHeight(time: Time, random: Random): number {
	return time === 'day' || time === 'night' ? random.range(0.14, 0.26) : random.range(0.36, 0.46);
}
