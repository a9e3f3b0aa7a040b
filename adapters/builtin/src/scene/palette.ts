import type { Random } from './random.ts';
import type { Setting, Time, Weather } from './words.ts';

/** Five tones of the sky from the top to the horizon, and the light. */
const skies: Record<Time, readonly string[]> = {
	dawn: ['#3a5a9a #7a8fc4 #c8a9c9 #f6c3b0 #ffe3b8 #fff4d6', '#4a4f8f #8d7fb8 #d99bb5 #f9bfa0 #ffe8c2 #fff0cc'],
	day: ['#1f6fc4 #4a9be0 #86c3ee #bfe0f3 #e6f3f5 #fffbe8', '#2380b4 #57b0d4 #97d1e2 #cfeae6 #f3f6e6 #fffdf0'],
	dusk: ['#1b1f4b #4b2f6f #a8456f #f0785a #ffc37a #fff0c0', '#12294f #3a4f86 #8f6a9a #e8937c #ffd49a #fff3cf'],
	night: ['#040920 #0a1738 #122a58 #1f4072 #41659a #f2f0e0', '#0a0820 #191440 #2c2360 #46397c #7a5f9c #f6eee6'],
};
const lands: Partial<Record<Setting, string>> = { sea: '#5f6a5c', forest: '#3f7048', city: '#56627a', sky: '#3f5a5c' };
/** How dark each time is, from 0 (full light) to 1. */
export const darkness: Record<Time, number> = { dawn: 0.34, day: 0.06, dusk: 0.5, night: 0.74 };

/** Chooses the colours. `haze` covers distant things, `ink` is the darkest land. Rain and snow make the sky grey. */
export function choosePalette(setting: Setting, time: Time, weather: Weather, random: Random) {
	const grey = { rain: '#52637c', snow: '#b0c2d8', clouds: '', clear: '' }[weather];
	const tones = random.pick(skies[time]).split(' ');
	const dull = tones.map((tone) => mix(tone, mix(grey, '#0a1226', darkness[time] ** 1.4), 0.62));
	const [top = '', upper = '', middle = '', low = '', haze = '', light = ''] = grey ? dull : tones;
	const dark = mix(top, '#060a18', 0.55);
	const ground = mix(mix(lands[setting] ?? '#456852', middle, 0.12), dark, darkness[time]);
	const land = weather === 'snow' ? mix(ground, mix(haze, '#eef4fa', 0.6), 0.7 - darkness[time] * 0.4) : ground;
	const isDay = time === 'day';
	return {
		sky: [top, upper, middle, low, haze] as const,
		light,
		haze: mix(haze, low, 0.35),
		land,
		ink: mix(mix(mix(land, ground, 0.35), '#05080f', 0.3), dark, isDay ? 0.25 : 0.6),
		water: isDay ? mix(top, '#0f6a8c', 0.5) : mix(top, upper, 0.45),
		cloud: time === 'night' ? mix(haze, '#c8d4ee', 0.2) : mix(haze, '#ffffff', isDay ? 0.8 : 0.3),
		shade: mix(middle, upper, isDay ? 0.25 : 0.6),
		accent: random.pick(['#d8443c', '#e0662f', '#c23a5a', '#2f7fb8', '#e0a52f']),
	};
}

/** Mixes two colours; `share` is the share of the second. */
export function mix(a: string, b: string, share: number): string {
	const part = (color: string, at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
	const parts = [1, 3, 5].map((at) => Math.round(part(a, at) * (1 - share) + part(b, at) * share + 256));
	return `#${parts.map((part) => part.toString(16).slice(1)).join('')}`;
}
