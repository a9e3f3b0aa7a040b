import type { Rgb } from '../../../scene/color.ts';
import type { Reader } from './reader.ts';
import type { NumberToken } from './tokens.ts';

/** Reads one parameter of an operation from the words of its clause. */
export interface Parameter<T> {
	/** What it is, its usual value and its bounds, for the documentation: `2 to 200 px, usually 12`. */
	readonly about: string;
	/** Whether it reads words of place: left, top. */
	readonly placed?: true;
	/** Whether it reads `more` and `less` itself. */
	readonly directed?: true;
	read(words: Reader): T;
}

/** The values of a table of parameters. */
export type Arguments<T extends Parameters> = { readonly [K in keyof T]: ReturnType<T[K]['read']> };

/** Parameters by name. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** -1 left or top, 0 middle, 1 right or bottom. */
export interface Place {
	readonly x: -1 | 0 | 1;
	readonly y: -1 | 0 | 1;
}

/** A length in pixels: a plain number, `px`, or words of strength. */
export function pixels(usual: number, least: number, most: number): Parameter<number> {
	return {
		about: `${least} to ${most} px, usually ${usual}`,
		read: (words) => {
			const strength = words.strength();
			words.direction();
			const said = words.number('px', '', 'x');
			return words.bound(said ? said.value : usual * strength, least, most);
		},
	};
}

/** A plain number: of levels, cells, degrees. */
export function count(usual: number, least: number, most: number): Parameter<number> {
	return {
		about: `${least} to ${most}, usually ${usual}`,
		read: (words) => {
			const said = words.number('', 'px', 'x', '°');
			return words.bound(Math.round(said?.value ?? usual), least, most);
		},
	};
}

/** How much, in percent; `usual` is meant where no number stands. */
export function percent(usual: number, least = 0, most = 100): Parameter<number> {
	return {
		about: `${least} to ${most} %, usually ${usual}`,
		read: (words) => {
			const strength = words.strength();
			words.direction();
			const said = words.number('%', '', 'x');
			if (!said) return Math.min(most, Math.round(usual * strength));
			return words.bound(isShare(said) ? said.value * 100 : said.value, least, most);
		},
	};
}

/** A change in percent with its direction: `more`, `less by 20%`, `-20%`, `to 80%`. */
export function change(usual: number, sign: 1 | -1 = 1, most = 200): Parameter<number> {
	return {
		about: `-100 to ${most} %, usually ${usual * sign}`,
		directed: true,
		read: (words) => {
			const strength = words.strength();
			const direction = words.direction() ?? 1;
			if (words.word('half', 'halve')) return -50;
			if (words.word('double', 'twice')) return words.bound(100 * direction * sign, -100, most);
			const absolute = words.isAbsolute();
			if (absolute) words.word('to');
			const said = words.number('%', '', 'x');
			if (!said) return Math.min(most, Math.round(usual * strength)) * direction * sign;
			const value = changeOf(said);
			if (absolute && said.unit === '%') return words.bound(value - 100, -100, most);
			return words.bound(value * direction * sign, -100, most);
		},
	};
}

/** `0.5` and `2x` are shares where percent are meant. */
function isShare({ value, unit }: NumberToken): boolean {
	return unit === 'x' || (unit === '' && value > 0 && value < 1);
}

/** `contrast 1.5` and `2x` are factors, `-0.2` is a share of one, `20` is percent. */
function changeOf({ value, unit, signed }: NumberToken): number {
	const isPlain = unit === '' && !Number.isInteger(value) && Math.abs(value) < 4;
	if (isPlain && signed) return value * 100;
	return isPlain || unit === 'x' ? (value - 1) * 100 : value;
}

/** An angle in degrees, clockwise. */
export function angle(usual: number): Parameter<number> {
	return {
		about: `degrees clockwise, usually ${usual}`,
		read: (words) => {
			const counter = words.word('left', 'counterclockwise', 'anticlockwise', 'ccw', 'counter', 'anti');
			words.word('right', 'clockwise', 'cw');
			words.strength();
			const said = words.number('°', '');
			const value = Number.isFinite(said?.value) ? (said?.value as number) : usual;
			const turned = (((counter ? -value : value) % 360) + 360) % 360;
			return turned > 180 ? turned - 360 : turned;
		},
	};
}

/** A colour by its CSS name or code. */
export function color(usual: Rgb): Parameter<Rgb> {
	return { about: 'a colour', read: (words) => words.color() ?? usual };
}

/** A colour that may be left out. */
export function anyColor(): Parameter<Rgb | undefined> {
	return { about: 'a colour, or none', read: (words) => words.color() };
}

/** Up to `most` colours in their order. */
export function colors(most: number): Parameter<readonly Rgb[]> {
	return {
		about: `up to ${most} colours`,
		read: (words) => {
			const found: Rgb[] = [];
			for (let next = words.color(); next; next = words.color()) {
				found.push(next);
				if (found.length === most) break;
			}
			return found;
		},
	};
}

const lefts = ['left', 'lefthand'];
const rights = ['right', 'righthand'];
const tops = ['top', 'upper', 'above'];
const bottoms = ['bottom', 'lower', 'below', 'underneath', 'foot'];
const middles = ['center', 'centre', 'centered', 'centred', 'middle'];

/** A corner, a side or the middle. */
export function place(usual: Place): Parameter<Place> {
	return {
		about: 'a corner, a side, or centre',
		placed: true,
		read: (words) => {
			const x = words.word(...lefts) ? -1 : words.word(...rights) ? 1 : undefined;
			const y = words.word(...tops) ? -1 : words.word(...bottoms) ? 1 : undefined;
			let middle = false;
			while (words.word(...middles)) middle = true;
			const corner = words.word('corner');
			words.word('edge', 'side');
			if (x === undefined && y === undefined) {
				return middle ? { x: 0, y: 0 } : corner ? { x: 1, y: 1 } : usual;
			}
			return { x: x ?? (corner ? 1 : 0), y: y ?? (corner ? 1 : 0) };
		},
	};
}

/** A place, said in words. */
export function placeName({ x, y }: Place): string {
	const column = ['left', 'centre', 'right'][x + 1];
	return y === 0 ? `${column}` : `${y < 0 ? 'top' : 'bottom'}${x === 0 ? '' : ` ${column}`}`;
}

/** One of several words; each choice lists what it is called. */
export function choice<const T extends string>(
	usual: NoInfer<T>,
	choices: Readonly<Record<T, readonly string[]>>,
): Parameter<T> {
	const names = Object.keys(choices) as T[];
	return {
		about: `one of ${names.join(', ')}`,
		read: (words) => {
			const found = names.find((name) => words.word(name, ...choices[name]));
			// `left to right` names one choice twice.
			while (found && words.word(...choices[found]));
			return found ?? usual;
		},
	};
}

/** A picture of the request, counted from 0; usually the second. */
export function picture(): Parameter<number | undefined> {
	return { about: 'which picture: image 2', read: (words) => words.image() };
}

const textStops = ['at', 'in', 'on', 'to', 'with', 'near', 'along', 'across', 'using', 'as'];

/** What is to be written: a quotation, or the words up to a place. */
export function text(): Parameter<string> {
	return {
		about: 'a quoted text',
		read: (words) => {
			const quoted = words.quotation();
			words.word('saying', 'says', 'reading', 'reads', 'that', 'text', 'words');
			return quoted ?? words.literal(textStops) ?? '';
		},
	};
}
