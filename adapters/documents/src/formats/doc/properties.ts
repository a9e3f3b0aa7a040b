import { documentError } from '../../refusal.ts';

/** A stretch of the file whose characters or paragraphs have the same properties. */
export interface Stretch {
	readonly from: number;
	readonly to: number;
	/** Operation codes with their operand, of long ones its first four bytes. */
	readonly operations: ReadonlyMap<number, number>;
	/** Number of the paragraph's style. */
	readonly style: number;
}

/** Operations that matter to the text ([MS-DOC] 2.6). */
export const operations = {
	deleted: 0x0800,
	hidden: 0x083c,
	symbol: 0x6a09,
	inTable: 0x2416,
	rowEnd: 0x2417,
	innerCell: 0x244b,
	innerRowEnd: 0x244c,
	pageBreakBefore: 0x2407,
	outline: 0x2640,
	list: 0x460b,
	listLevel: 0x260a,
	sectionBreak: 0x3009,
	titlePage: 0x300a,
} as const;

/** Reads the pages of properties that a list names: those of characters, or those of paragraphs. The stretches are in the file's order. */
export function stretchesOf(stream: Buffer, list: Buffer, kind: 'characters' | 'paragraphs'): Stretch[] {
	const count = Math.max(0, Math.floor((list.length - 4) / 8));
	// Each page is 512 bytes of the file and is listed once.
	if (count > stream.length / pageBytes) throw documentError('E_DOCUMENT_UNREADABLE');
	const stretches: Stretch[] = [];
	for (let at = 0; at < count; at++) {
		const number = list.readUInt32LE((count + 1) * 4 + at * 4) & 0x3f_ff_ff;
		const page = stream.subarray(number * pageBytes, (number + 1) * pageBytes);
		if (page.length === pageBytes) addPage(stretches, page, kind);
	}
	return stretches.sort((a, b) => a.from - b.from);
}

/** The stretch that holds a place of the file. */
export function stretchAt(stretches: readonly Stretch[], place: number): Stretch | undefined {
	const found = stretches[firstAfter(stretches, place) - 1];
	return found && place < found.to ? found : undefined;
}

/** How many stretches begin at or before a place. */
export function firstAfter(stretches: readonly Stretch[], place: number): number {
	let low = 0;
	let high = stretches.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((stretches[middle]?.from ?? 0) <= place) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Operations in a row; each code says how long its operand is. Ends at what does not fit. */
export function operationsOf(bytes: Buffer): ReadonlyMap<number, number> {
	const found = new Map<number, number>();
	for (let at = 0; at + 2 < bytes.length; ) {
		const code = bytes.readUInt16LE(at);
		const size = operandSize(code, bytes, at + 2);
		if (at + 2 + size > bytes.length) break;
		found.set(code, bytes.readUIntLE(at + 2, Math.max(1, Math.min(4, size))));
		at += 2 + size;
	}
	return found;
}

const pageBytes = 512;

function addPage(stretches: Stretch[], page: Buffer, kind: 'characters' | 'paragraphs'): void {
	const count = page[pageBytes - 1] ?? 0;
	const width = kind === 'characters' ? 1 : 13;
	if ((count + 1) * 4 + count * width > pageBytes) return;
	for (let at = 0; at < count; at++) {
		const offset = (page[(count + 1) * 4 + at * width] ?? 0) * 2;
		const properties = kind === 'characters' ? forCharacters(page, offset) : forParagraphs(page, offset);
		const from = page.readUInt32LE(at * 4);
		stretches.push({ from, to: page.readUInt32LE(at * 4 + 4), ...properties });
	}
}

const none: Pick<Stretch, 'operations' | 'style'> = { operations: new Map(), style: 0 };

function forCharacters(page: Buffer, offset: number): Pick<Stretch, 'operations' | 'style'> {
	if (offset === 0) return none;
	const length = page[offset] ?? 0;
	return { operations: operationsOf(page.subarray(offset + 1, offset + 1 + length)), style: 0 };
}

function forParagraphs(page: Buffer, offset: number): Pick<Stretch, 'operations' | 'style'> {
	if (offset === 0) return none;
	const words = page[offset] ?? 0;
	const start = words === 0 ? offset + 2 : offset + 1;
	const length = words === 0 ? (page[offset + 1] ?? 0) * 2 : words * 2 - 1;
	const body = page.subarray(start, start + length);
	if (body.length < 2) return none;
	return { operations: operationsOf(body.subarray(2)), style: body.readUInt16LE(0) };
}

/** [MS-DOC] 2.6.1: the three highest bits tell the size, with two exceptions that are longer than a byte can say. */
function operandSize(code: number, bytes: Buffer, at: number): number {
	const size = [1, 1, 2, 4, 2, 2, 0, 3][code >> 13] ?? 1;
	if (size > 0) return size;
	if (code === 0xd608) return at + 2 <= bytes.length ? bytes.readUInt16LE(at) + 1 : bytes.length;
	return 1 + (bytes[at] ?? 0);
}
