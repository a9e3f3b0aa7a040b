import type { Args, Step } from './command.ts';
import { commands } from './commands.ts';

/** The arguments in a clause. Each pattern takes linear time. */
const patterns: readonly (readonly [RegExp, (...groups: string[]) => Args])[] = [
	[/"(\d+)"/, (_, text = '') => ({ text })],
	[/\b(?:image|picture|photo) (\d{1,2})\b/, (_, input) => ({ input: Number(input) })],
	[/\bsecond (?:image|picture|photo)\b/, () => ({ input: 2 })],
	[/\b([1-9]\d{0,4}) ?[x×] ?([1-9]\d{0,4})\b/, (_, w, h) => ({ size: { width: Number(w), height: Number(h) } })],
	[/\b([1-9]\d{0,2}):([1-9]\d{0,2})\b/, (_, width, height) => ({ ratio: Number(width) / Number(height) })],
	[/\bsquare\b/, () => ({ ratio: 1 })],
	[/#[\da-f]{6}\b|\b(?:white|black|red|green|blue|yellow|orange|pink|brown|gold|navy)\b/, (color = '') => ({ color })],
	[/(?<![\d.])(-?\d+(?:\.\d+)?) ?(?:%|percent\b)/, (_, value) => ({ value: Number(value), unit: '%' })],
	[/(?<![\d.])(-?\d+(?:\.\d+)?) ?(?:°|degrees?\b)/, (_, value) => ({ value: Number(value), unit: '°' })],
	[/(?<![\d.])(-?\d+(?:\.\d+)?) ?(?:px|pixels?)\b/, (_, value) => ({ value: Number(value), unit: 'px' })],
	[/-?\d+(?:\.\d+)?/, (value) => ({ value: Number(value) })],
	[/\b(?:slightly|somewhat|a little|a bit)\b/, () => ({ factor: 0.5 })],
	[/\b(?:very|much|strongly|a lot)\b/, () => ({ factor: 2 })],
	[/\b(?:less|decrease|reduce)\b|^lower\b/, () => ({ sign: -1 })],
	[/\b(?:(left|counterclockwise)|right|clockwise)\b/, (_, left) => ({ x: left ? -1 : 1 })],
	[/\b(?:(top|upper)|bottom|lower)\b/, (_, top) => ({ y: top ? -1 : 1 })],
	[/\b(?:cent(?:er|re)|middle)\b/, () => ({ x: 0, y: 0 })],
];

const fillers = new RegExp(
	'\\b(?:an?|the|its?|this|my|please|make|apply|add|put|give|do|use|with|to|of|by|from|in|on|at|into|as|so|also|now|' +
		'(?:image|picture|photo)s?|look|effect|filter|tone|colou?rs?|corner|size|some|both|all|more|increase|raise)\\b|' +
		'[:()+]',
	'g',
);

/** Quoted texts. They are removed before the prompt is split. */
const quotation = /["“„«]([^"“”„«»]*)["”“»]|(?<!\p{L})'([^'\n]*)'(?!\p{L})/gu;
const breaks = /[,;!?\n]|\.(?!\d)|\bthen\b|\band\b/i;

/** Reads a prompt as commands. A clause with an unknown word is unknown as a whole. */
export function parsePrompt(prompt: string) {
	const texts: string[] = [];
	const marked = prompt.replace(quotation, (_, double, single) => {
		texts.push((double ?? single).replace(/[\p{Cc}\p{Cs}]/gu, ' ').slice(0, 300));
		return ` "${texts.length - 1}" `;
	});
	const steps: Step[] = [];
	const unknown: string[] = [];
	for (const clause of marked.replace(/\bblack (?:and|&) white\b/gi, 'grayscale').split(breaks)) {
		const { words, args } = readClause(clause.replace(/\s+/g, ' ').trim().toLowerCase());
		if (words === '' && Object.keys(args).length === 0) continue;
		const step = stepOf(words, args.text === undefined ? args : { ...args, text: texts[Number(args.text)] ?? '' });
		if (step) steps.push(step);
		else unknown.push(clause.replace(/"(\d+)"/g, (_, index) => `"${texts[index]}"`).trim());
	}
	return { steps, unknown };
}

function readClause(clause: string) {
	let [args, rest]: [Args, string] = [{}, clause];
	for (const [pattern, read] of patterns) {
		const match = pattern.exec(rest);
		if (!match) continue;
		args = { ...read(...match), ...args };
		rest = `${rest.slice(0, match.index)} ${rest.slice(match.index + match[0].length)}`;
	}
	const words = rest.replace(fillers, '').replace(/\s+/g, ' ').trim();
	return { args, words: words.replace(/^turn (?=.)/, '') };
}

function stepOf(words: string, args: Args): Step | undefined {
	const names = Object.keys(args);
	const command = commands.find(({ words: pattern, range: [own, , min], accepts, needs }) => {
		const isAccepted = names.every((name) => accepts.includes(name)) && (!args.unit || own.includes(args.unit));
		const isComplete = needs.length === 0 || needs.some((name) => names.includes(name));
		return pattern.test(words) && isAccepted && isComplete && (args.sign !== -1 || min < 0);
	});
	if (!command) return undefined;
	const [own, usual, min, max] = command.range;
	const requested = (args.value ?? usual * (args.factor ?? 1)) * (args.sign ?? 1);
	const value = args.value === undefined && usual === 0 ? 0 : Math.min(max, Math.max(min, requested));
	const unit = args.unit ?? (args.value === undefined ? own.at(-1) : own[0]) ?? '';
	const { text, input, size, color, x, y } = args;
	const number = value !== 0 && `${value}${unit.replace('px', ' px')}`;
	const place = [y && (y < 0 ? 'top' : 'bottom'), x && (x < 0 ? 'left' : 'right')];
	const what = [text && `"${text}"`, input && `image ${input}`, size && `${size.width}x${size.height}`, number, color];
	return { command, args, value, unit, label: [command.name, ...what, ...place].filter(Boolean).join(' ') };
}
