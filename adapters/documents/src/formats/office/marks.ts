/** The mark of the next item of a list: its number, and the number as the list writes it, `-` for a bullet. */
export type MarkOf = (listId: string, depth: number) => { readonly number: number; readonly text: string } | undefined;

const find = (xml: string, name: string) => new RegExp(`[\\s<]w:${name}="([^"]*)"`).exec(` ${xml}`)?.[1] ?? '';
const split = (xml: string, name: string) => xml.split(`<w:${name} `).slice(1);

/** Marks from `word/numbering.xml` (ECMA-376, 17.9). The library does not restart numbers of nested items. */
export function marksOf(xml: string): MarkOf {
	const lists = listsOf(xml);
	const counts = new Map<string, number[]>();
	return (listId, depth) => {
		const levels = lists.get(listId) ?? [];
		const level = levels[depth];
		if (!level) return undefined;
		const count = (counts.get(listId) ?? []).slice(0, depth + 1);
		const number = (count[depth] ?? level.start - 1) + 1;
		count[depth] = number;
		counts.set(listId, count);
		const text = level.text.slice(0, 60).replace(/%(\d)/g, (_, digit) => {
			const at = Number(digit) - 1;
			return numeral(count[at] ?? levels[at]?.start ?? 1, levels[at]?.format ?? '');
		});
		return { number, text: text.trim() };
	};
}

function listsOf(xml: string) {
	const abstract = split(xml, 'abstractNum');
	const byId = new Map(abstract.map((list) => [find(list, 'abstractNumId'), split(list, 'lvl').map(levelOf)]));
	const started = (list: string) => {
		const starts = split(list, 'lvlOverride').map((level) => find(level, 'startOverride w:val'));
		const levels = byId.get(find(list, 'abstractNumId w:val')) ?? [];
		return levels.map((level, at) => ({ ...level, start: Number(starts[at] || level.start) }));
	};
	return new Map(split(xml, 'num').map((list) => [find(list, 'numId'), started(list)]));
}

/** `text` has placeholders for the numbers of this level and of the levels above: `%1.%2)`. */
function levelOf(level: string) {
	const format = find(level, 'numFmt w:val');
	const text = find(level, 'lvlText w:val');
	const start = find(level, 'start w:val') || 1;
	return { format, text: format === 'bullet' && text.trim() !== '' ? '-' : text, start: Number(start) };
}

const figures = { m: 1_000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 };

function roman(value: number): string {
	const [figure = '', worth = value] = Object.entries(figures).find(([, least]) => value >= least) ?? [];
	return figure && figure + roman(value - worth);
}

/** `7`, `g`, `VII`. Word repeats letters after z: `aa`, `bb`. */
function numeral(value: number, format: string): string {
	if (!/letter|roman/i.test(format) || !(value >= 1 && value <= 3_999)) return String(value);
	const letter = String.fromCharCode(97 + ((value - 1) % 26));
	const text = /roman/i.test(format) ? roman(value) : letter.repeat(Math.ceil(value / 26));
	return format.startsWith('upper') ? text.toUpperCase() : text;
}
