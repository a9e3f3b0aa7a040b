import { type Counting, countedAs } from '../flow/numbers.ts';

/** Numbers and bullets of list items, which are no part of the text in a Word document: they are counted while it is read. */
export interface Lists {
	/** The mark of the next item at a level of a list; undefined when there is no such list. `list` counts from 1. */
	next(list: number, level: number): string | undefined;
}

/**
 * Reads the definitions of lists ([MS-DOC] 2.9.131 and 2.9.147). `definitions` begins where the head says and goes on to the end of the
 * stream, because the levels stand behind what the head counts.
 */
export function listsOf(definitions: Buffer, overrides: Buffer): Lists {
	const levels = levelsOf(definitions);
	const counters = new Map<string, number[]>();
	return {
		next(list, level) {
			const at = 4 + (list - 1) * overrideBytes;
			if (list < 1 || level > 8 || at + overrideBytes > overrides.length) return undefined;
			const id = overrides.readUInt32LE(at);
			const template = levels.get(id);
			// A list whose numbers somebody has set counts for itself.
			const key = overrides[at + 12] === 0 ? `${id}` : `${id} ${list}`;
			const counts = counters.get(key) ?? [];
			counters.set(key, counts);
			return template && markOf(template, counts, Math.min(level, template.length - 1));
		},
	};
}

const definitionBytes = 28;
const levelBytes = 28;
const overrideBytes = 16;
const bullet = 23;

interface Level {
	readonly start: number;
	readonly format: number;
	/** Characters of the mark; those below 9 stand for the number of that level. */
	readonly text: string;
}

function levelsOf(definitions: Buffer): ReadonlyMap<number, readonly Level[]> {
	const lists = new Map<number, readonly Level[]>();
	const count = definitions.length >= 2 ? definitions.readUInt16LE(0) : 0;
	let at = 2 + count * definitionBytes;
	for (let index = 0; index < count; index++) {
		const definition = 2 + index * definitionBytes;
		const levels: Level[] = [];
		const isSimple = ((definitions[definition + 26] ?? 0) & 1) === 1;
		for (let number = 0; number < (isSimple ? 1 : 9); number++) {
			const text = at + levelBytes + (definitions[at + 24] ?? 0) + (definitions[at + 25] ?? 0);
			if (text + 2 > definitions.length) return lists;
			const end = text + 2 + definitions.readUInt16LE(text) * 2;
			levels.push({
				start: definitions.readInt32LE(at),
				format: definitions[at + 4] ?? 0,
				text: definitions.toString('utf16le', text + 2, Math.min(end, text + 102)),
			});
			at = end;
		}
		lists.set(definitions.readUInt32LE(definition), levels);
	}
	return lists;
}

function markOf(levels: readonly Level[], counts: number[], level: number): string | undefined {
	counts.length = Math.min(counts.length, level + 1);
	for (let upper = 0; upper <= level; upper++)
		counts[upper] ??= (levels[upper]?.start ?? 1) - (upper === level ? 1 : 0);
	counts[level] = (counts[level] ?? 0) + 1;
	const { format, text } = levels[level] ?? { format: bullet, text: '' };
	if (format === bullet) return '-';
	const mark = Array.from(text, (character) => {
		const number = character.charCodeAt(0);
		return number > 8 ? character : shown(counts[number] ?? 1, levels[number]?.format ?? 0);
	});
	return mark.join('').trim() || undefined;
}

function shown(number: number, format: number): string {
	const counting: Counting | undefined = countings[format];
	if (format === 22) return String(number).padStart(2, '0');
	return counting ? countedAs(number, counting) : String(number);
}

const countings: Readonly<Record<number, Counting>> = { 1: 'I', 2: 'i', 3: 'A', 4: 'a' };
