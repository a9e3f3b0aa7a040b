import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { type NumberKind, numeral } from '../counting.ts';
import type { OfficePackage } from '../package.ts';
import { isOn } from './styles.ts';

interface Level {
	format: string;
	/** `%1.%2)`: the numbers of the levels, and what stands around them. */
	text: string;
	start: number;
	/** Numbers of the levels above are written in digits, whatever their own levels say. */
	isLegal: boolean;
}

type Levels = Map<number, Level>;
type LevelAt = (depth: number) => Level | undefined;

interface List {
	readonly abstract: string;
	readonly starts: Map<number, number>;
	/** Levels that it has instead of those of its abstract list. */
	readonly levels: Levels;
}

const noList: List = { abstract: '', starts: new Map(), levels: new Map() };
/** Every item repeats the text of its level, so that it must have an end. */
const maxLevelText = 200;

const kinds: ReadonlySet<string> = new Set<NumberKind>([
	'decimal',
	'lowerLetter',
	'upperLetter',
	'lowerRoman',
	'upperRoman',
]);

/** Counts the items of a document's lists. */
export class Numbering implements XmlHandler {
	readonly #abstracts = new Map<string, Levels>();
	/** Abstract lists by the style that they are, and styles that abstract lists have instead of levels. */
	readonly #styled = new Map<string, string>();
	readonly #links = new Map<string, string>();
	readonly #lists = new Map<string, List>();
	/** Lists made of one abstract list share its numbers, unless they start anew. */
	readonly #counts = new Map<string, number[]>();
	readonly #begun = new Set<string>();
	#levels: Levels | undefined;
	#level: Level | undefined;
	#list: List | undefined;
	#id = '';
	#override = 0;

	static async read(office: OfficePackage, part: string | undefined): Promise<Numbering> {
		const numbering = new Numbering();
		if (part) await office.readIfSound(part, numbering);
		return numbering;
	}

	/** The mark of the next item: `- ` for bullets, its number, or nothing where the list has no marks. */
	next(list: string, depth: number): string {
		const { abstract, starts, levels } = this.#lists.get(list) ?? noList;
		const shared = this.#levelsOf(abstract);
		const levelAt: LevelAt = (at) => levels.get(at) ?? shared?.get(at);
		const level = levelAt(depth);
		if (!level) return list === '0' ? '' : '- ';
		const counts = this.#countsOf(list, abstract, starts);
		counts.length = Math.min(counts.length, depth + 1);
		const start = (at: number) => starts.get(at) ?? levelAt(at)?.start ?? 1;
		for (let at = 0; at < depth; at++) counts[at] ??= start(at);
		counts[depth] = counts[depth] === undefined ? start(depth) : counts[depth] + 1;
		return markOf(level, levelAt, counts);
	}

	open(name: string, attributes: Attributes): void {
		const value = attributes['w:val'] ?? '';
		if (name === 'w:abstractNum') this.#beginAbstract(attributes['w:abstractNumId'] ?? '');
		else if (name === 'w:lvl') this.#beginLevel(Number(attributes['w:ilvl'] ?? 0));
		else if (name === 'w:num') this.#id = attributes['w:numId'] ?? '';
		else if (name === 'w:abstractNumId') this.#beginList(value);
		else if (name === 'w:lvlOverride') this.#override = Number(attributes['w:ilvl'] ?? 0);
		else if (name === 'w:startOverride') this.#list?.starts.set(this.#override, Number(value) || 0);
		else if (this.#level && name === 'w:numFmt') this.#level.format = value;
		else if (this.#level && name === 'w:lvlText') this.#level.text = value.slice(0, maxLevelText);
		else if (this.#level && name === 'w:start') this.#level.start = Number(value) || 0;
		else if (this.#level && name === 'w:isLgl') this.#level.isLegal = isOn(attributes['w:val']);
		else if (name === 'w:styleLink') this.#styled.set(value, this.#id);
		else if (name === 'w:numStyleLink') this.#links.set(this.#id, value);
	}

	close(name: string): void {
		if (name === 'w:abstractNum') this.#levels = undefined;
		else if (name === 'w:lvl') this.#level = undefined;
		else if (name === 'w:num') this.#list = undefined;
	}

	/** Of lists that are a style elsewhere, the levels of that one. */
	#levelsOf(abstract: string): Levels | undefined {
		const style = this.#links.get(abstract);
		const link = style === undefined ? undefined : this.#styled.get(style);
		return this.#abstracts.get(link ?? abstract);
	}

	#beginAbstract(id: string): void {
		this.#id = id;
		this.#levels = new Map();
		this.#abstracts.set(id, this.#levels);
	}

	#beginLevel(depth: number): void {
		const levels = this.#levels ?? this.#list?.levels;
		this.#level = { format: 'decimal', text: '', start: 1, isLegal: false };
		levels?.set(depth, this.#level);
	}

	#beginList(abstract: string): void {
		this.#list = { abstract, starts: new Map(), levels: new Map() };
		this.#lists.set(this.#id, this.#list);
	}

	#countsOf(list: string, abstract: string, starts: ReadonlyMap<number, number>): number[] {
		const isAnew = starts.size > 0 && !this.#begun.has(list);
		this.#begun.add(list);
		const known = isAnew ? undefined : this.#counts.get(abstract);
		const counts = known ?? [];
		this.#counts.set(abstract, counts);
		return counts;
	}
}

function markOf(level: Level, levelAt: LevelAt, counts: readonly number[]): string {
	// Bullets of blanks are no bullets: paragraphs that belong to the item before have them.
	if (level.format === 'bullet') return level.text !== '' && level.text.trim() === '' ? '' : '- ';
	if (level.format === 'none' && !level.text.includes('%')) return level.text && `${level.text} `;
	const text = level.text.replace(/%([1-9])/g, (_, digit: string) => {
		const at = Number(digit) - 1;
		const count = counts[at];
		const { format } = (level.isLegal ? undefined : levelAt(at)) ?? {};
		return count === undefined ? '' : numbered(count, format);
	});
	return text.trim() && `${text.trim()} `;
}

function numbered(count: number, format = ''): string {
	return format === 'decimalZero' ? String(count).padStart(2, '0') : numeral(count, kindOf(format));
}

function kindOf(format: string): NumberKind {
	return kinds.has(format) ? (format as NumberKind) : 'decimal';
}
