import type { ScenePlan } from '../scene/plan.ts';
import type { Setting, Time, Weather } from '../scene/words.ts';

const places: Record<Setting, string> = {
	sea: 'the sea',
	lake: 'a lake before mountains',
	mountains: 'mountains',
	forest: 'a forest',
	city: 'a city by the water',
	sky: 'the sky with stars',
};
const times: Record<Time, string> = { dawn: 'at dawn', day: 'by day', dusk: 'at dusk', night: 'at night' };
const weathers: Record<Weather, string> = {
	clear: 'under a clear sky',
	clouds: 'under clouds',
	rain: 'in the rain',
	snow: 'in the snow',
};
/** Maximum number of unknown words in a description. */
const maxUnknown = 20;

/** Describes the picture, and names unknown words of the prompt. */
export function describe(plan: ScenePlan, caption: string, isAlone: boolean): string {
	const { setting, time, weather, subject, unknown } = plan;
	const place = `${places[setting]} ${times[time]}`;
	const whole = `${place} ${weathers[weather]}${subject ? `, with a ${subject}` : ''}`;
	const drawn = isAlone ? `${subject ? `a ${subject}` : place} on a transparent background` : whole;
	const words = unknown.slice(0, maxUnknown).map((word) => word.slice(0, 40));
	const rest = unknown.length > maxUnknown ? ` and ${unknown.length - maxUnknown} more` : '';
	const guess = plan.isGuessed ? ' No word names a place: it is chosen by chance.' : '';
	return [
		`A drawn scene: ${drawn}${caption ? `; caption “${caption}”` : ''}.${guess}`,
		...(words.length > 0 ? [`Not understood: ${words.join(', ')}${rest}.`] : []),
	].join(' ');
}
