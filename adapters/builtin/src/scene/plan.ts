import { choosePalette } from './palette.ts';
import { createRandom } from './random.ts';
import { readPrompt, settings } from './words.ts';

/** Everything that decides a picture. Equal plans give equal pictures. */
export type ScenePlan = ReturnType<typeof planScene>;

/** Plans a scene. The hash of the words and the seed choose everything that the words do not name. */
export function planScene({ prompt, seed, remixOf }: { prompt: string; seed: number; remixOf?: string | undefined }) {
	const meaning = { ...(remixOf && readPrompt(remixOf)), ...readPrompt(prompt) };
	const byWords = createRandom(remixOf || prompt);
	const [anyPlace, anyTime] = [byWords.pick(settings), byWords.pick(['dawn', 'day', 'dusk', 'night'] as const)];
	const { setting = anyPlace, time = setting === 'sky' ? 'night' : anyTime } = meaning;
	const random = createRandom(`${seed} ${prompt}`);
	const { weather = random.next() < 0.6 ? 'clouds' : 'clear' } = meaning;
	const isLeft = random.next() < 0.5;
	const away = random.range(0.2, 0.34);
	const isLow = time === 'dawn' || time === 'dusk';
	return {
		...meaning,
		setting,
		time,
		weather,
		palette: choosePalette(setting, time, weather, random),
		/** The positions of the horizon, of sun or moon, and of the subject, as shares of the frame. */
		horizon: random.range(0.56, 0.63),
		light: { x: isLeft ? away : 1 - away, y: random.range(0, 0.1) + (isLow ? 0.4 : 0.15) },
		stand: isLeft ? random.range(0.62, 0.7) : random.range(0.3, 0.38),
		/** Whether the light is on the left or low, water is below the horizon, and weather hides the light. */
		isLeft,
		isLow,
		isWet: setting === 'sea' || setting === 'lake' || setting === 'city',
		isCovered: weather === 'rain' || weather === 'snow',
		seed: Math.floor(random.next() * 2 ** 31),
		/** Whether no word of the prompt names a place or a subject. */
		isGuessed: !meaning.setting && !meaning.subject,
	};
}
