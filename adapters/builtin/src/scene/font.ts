import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** A typeface. Bundled, so that every machine draws the same letters. */
export interface Font {
	readonly family: string;
	readonly file: Uint8Array;
	/** True when the typeface has a shape for this code point. */
	has(codePoint: number): boolean;
	/** The width of a line of text in em, without kerning. */
	measure(text: string): number;
}

/** The bundled typefaces: the name inside the file, and the file. */
const faces = {
	bold: ['DejaVu Sans Condensed', 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'],
	caption: ['Inter', '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'],
} as const;

/** `bold` has most scripts that are written without joining; `caption` is finer and knows Latin, Greek and Cyrillic. */
export type Face = keyof typeof faces;

const loading = new Map<Face, Promise<Font>>();

/** Reads a typeface once per thread. */
export function loadFont(face: Face = 'bold'): Promise<Font> {
	const known = loading.get(face);
	if (known) return known;
	const [family, file] = faces[face];
	const font = readFile(createRequire(import.meta.url).resolve(file)).then((bytes) => parseFont(family, bytes));
	loading.set(face, font);
	return font;
}

/** Reads the tables `cmap` (format 4 or 12), `hhea`, `hmtx` and `head` of a TrueType file. */
function parseFont(family: string, file: Uint8Array): Font {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	const tables = new Map<string, number>();
	for (let i = 0; i < view.getUint16(4); i++) {
		const at = 12 + i * 16;
		tables.set(String.fromCharCode(...file.subarray(at, at + 4)), view.getUint32(at + 8));
	}
	const table = (name: string): number => {
		const offset = tables.get(name);
		if (offset === undefined) throw new Error(`The font ${family} has no table "${name}".`);
		return offset;
	};
	const glyphs = readCharacterMap(view, table('cmap'));
	const unitsPerEm = view.getUint16(table('head') + 18);
	const metrics = view.getUint16(table('hhea') + 34);
	const hmtx = table('hmtx');
	const advance = (codePoint: number): number => {
		const glyph = Math.min(glyphs.get(codePoint) ?? 0, metrics - 1);
		return view.getUint16(hmtx + glyph * 4) / unitsPerEm;
	};
	return {
		family,
		file,
		has: (codePoint) => glyphs.has(codePoint),
		measure: (text) => {
			let width = 0;
			for (const char of text) width += advance(char.codePointAt(0) as number);
			return width;
		},
	};
}

function readCharacterMap(view: DataView, cmap: number): Map<number, number> {
	const glyphs = new Map<number, number>();
	for (let i = 0; i < view.getUint16(cmap + 2); i++) {
		const at = cmap + view.getUint32(cmap + 4 + i * 8 + 4);
		const platform = view.getUint16(cmap + 4 + i * 8);
		const format = view.getUint16(at);
		if (platform === 1) continue;
		if (format === 4) readSegments(view, at, glyphs);
		if (format === 12) readGroups(view, at, glyphs);
	}
	return glyphs;
}

/** Format 4: segments of 16-bit code points. */
function readSegments(view: DataView, at: number, glyphs: Map<number, number>): void {
	const double = view.getUint16(at + 6);
	for (let i = 0; i < double; i += 2) {
		const end = view.getUint16(at + 14 + i);
		const start = view.getUint16(at + 16 + double + i);
		const delta = view.getUint16(at + 16 + double * 2 + i);
		const offsetAt = at + 16 + double * 3 + i;
		const offset = view.getUint16(offsetAt);
		for (let code = start; code <= end && code < 0xffff; code++) {
			const raw = offset === 0 ? code : view.getUint16(offsetAt + offset + (code - start) * 2);
			const glyph = offset !== 0 && raw === 0 ? 0 : (raw + delta) & 0xffff;
			if (glyph !== 0) glyphs.set(code, glyph);
		}
	}
}

/** Format 12: groups of 32-bit code points. */
function readGroups(view: DataView, at: number, glyphs: Map<number, number>): void {
	for (let i = 0; i < view.getUint32(at + 12); i++) {
		const group = at + 16 + i * 12;
		const start = view.getUint32(group);
		for (let code = start; code <= view.getUint32(group + 4); code++) {
			glyphs.set(code, view.getUint32(group + 8) + code - start);
		}
	}
}
