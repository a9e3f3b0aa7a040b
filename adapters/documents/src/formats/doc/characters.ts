import { documentError } from '../../refusal.ts';
import { decodeAs } from '../charset.ts';
import { symbolText } from '../rtf/fonts.ts';
import { entries, type WordHeader } from './header.ts';
import { firstAfter, operations, type Stretch, stretchesOf } from './properties.ts';

/** Characters in a row that are shown alike. */
export interface TextRun {
	/** The number of the first one within the document. */
	readonly position: number;
	readonly text: string;
	/** Where the first one is in the file, and how many bytes each takes. */
	readonly place: number;
	readonly width: 1 | 2;
	/** Hidden, or deleted by somebody who tracks changes. */
	readonly isHidden: boolean;
}

/** All characters of a document, in order, by the table that says in which pieces of the file they are. */
export function textRuns(stream: Buffer, table: Buffer, header: WordHeader): TextRun[] {
	const looks = stretchesOf(stream, header.entry(table, entries.characters), 'characters');
	return piecesOf(header.entry(table, entries.pieces), stream.length).flatMap((piece) => [
		...runsOf(stream, piece, looks),
	]);
}

interface Piece {
	readonly position: number;
	readonly length: number;
	readonly place: number;
	readonly width: 1 | 2;
}

/** [MS-DOC] 2.9.38: blocks of properties, then the table. */
function piecesOf(clx: Buffer, fileBytes: number): Piece[] {
	let at = 0;
	while (clx[at] === 1 && at + 3 <= clx.length) at += 3 + clx.readUInt16LE(at + 1);
	if (clx[at] !== 2 || at + 9 > clx.length) throw broken();
	const list = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
	const count = Math.floor((list.length - 4) / 12);
	const pieces: Piece[] = [];
	let total = 0;
	for (let index = 0; index < count; index++) {
		const position = list.readUInt32LE(index * 4);
		const length = list.readUInt32LE(index * 4 + 4) - position;
		const code = list.readUInt32LE((count + 1) * 4 + index * 8 + 2);
		const isNarrow = (code & 0x40_00_00_00) !== 0;
		const place = isNarrow ? (code & 0x3f_ff_ff_ff) >>> 1 : code & 0x3f_ff_ff_ff;
		total += length;
		// No character is in two pieces, and each takes a byte at least.
		if (length < 0 || total > fileBytes) throw broken();
		pieces.push({ position, length, place, width: isNarrow ? 1 : 2 });
	}
	return pieces;
}

/** Cuts a piece where the look of its characters changes. */
function* runsOf(stream: Buffer, piece: Piece, looks: readonly Stretch[]): Generator<TextRun> {
	const end = Math.min(stream.length, piece.place + piece.length * piece.width);
	let next = Math.max(0, firstAfter(looks, piece.place) - 1);
	for (let place = piece.place; place < end; ) {
		while ((looks[next]?.to ?? end) <= place) next++;
		const look = looks[next];
		const isInside = look !== undefined && look.from <= place;
		const limit = Math.min(end, (isInside ? look.to : look?.from) ?? end);
		const bytes = Math.max(piece.width, limit - place - ((limit - place) % piece.width));
		const changes = isInside ? look.operations : new Map<number, number>();
		yield {
			position: piece.position + (place - piece.place) / piece.width,
			text: shown(stream.subarray(place, Math.min(end, place + bytes)), piece.width, changes),
			place,
			width: piece.width,
			isHidden: isSet(changes, operations.deleted) || isSet(changes, operations.hidden),
		};
		place += bytes;
	}
}

function shown(bytes: Buffer, width: number, changes: ReadonlyMap<number, number>): string {
	const text = width === 2 ? bytes.toString('utf16le') : (decodeAs(bytes, 'windows-1252') ?? '');
	const symbol = changes.get(operations.symbol);
	return symbol === undefined ? text : text.replaceAll('(', symbolText(symbol >>> 16, false) || ' ');
}

function isSet(changes: ReadonlyMap<number, number>, operation: number): boolean {
	return changes.get(operation) === 1;
}

function broken() {
	return documentError('E_DOCUMENT_UNREADABLE', {
		message: 'The pieces of the Word document cannot be put together.',
	});
}
