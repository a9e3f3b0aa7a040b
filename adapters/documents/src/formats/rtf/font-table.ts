import { isAscii } from 'node:buffer';
import { charsetOfPage, decodeAs } from '../charset.ts';
import { charsetOfFont, symbolText } from './fonts.ts';

/** The fonts of an RTF file, as far as they say what bytes mean. */
export class FontTable {
	readonly #charsets = new Map<number, string>();
	readonly #greek = new Set<number>();
	#page: string = 'windows-1252';
	#default = 0;
	#font = 0;

	/** Takes a control word of the font table itself. */
	word(name: string, number = 0): void {
		if (name === 'f') this.#font = number;
		const charset = name === 'fcharset' ? charsetOfFont(number) : name === 'cpg' ? charsetOfPage(number) : undefined;
		if (charset) this.#charsets.set(this.#font, charset);
	}

	/** Takes the name of the font that came last. */
	name(name: string): void {
		if (/^symbol\b/i.test(name.trim())) this.#greek.add(this.#font);
	}

	/** The code page of the document, which counts where a font says nothing. */
	setPage(page: number): void {
		this.#page = charsetOfPage(page);
	}

	setDefault(font: number): void {
		this.#default = font;
	}

	/** The text of bytes in a font; a negative number stands for the default font. */
	decode(bytes: Buffer, font: number): string {
		const charset = this.#charsets.get(font < 0 ? this.#default : font) ?? this.#page;
		if (charset !== 'symbol' && isAscii(bytes)) return bytes.toString('latin1');
		if (charset !== 'symbol') return decodeAs(bytes, charset) ?? bytes.toString('latin1');
		const isGreek = this.isGreek(font);
		return Array.from(bytes, (byte) => symbolText(byte, isGreek)).join('');
	}

	/** The font named Symbol holds Greek letters, other symbol fonts anything. */
	isGreek(font: number): boolean {
		return this.#greek.has(font < 0 ? this.#default : font);
	}
}
