/** Writes a number as a spreadsheet shows it under a format code: `0.0%`, `yyyy-mm-dd`, `General`. */
export type NumberFormat = (value: number, code: string) => string;

/** Excel takes no longer ones. */
const longestCode = 255;
/** Beyond this no digit of a whole number means anything, and fractions take long to find. */
const largest = 1e21;
const plain = /^(?:General|)$/i;
const elapsed = /\[(?:h+|m+|s+)\]/i;

interface Formatter {
	format(code: string, value: number, options: { readonly date1904: boolean }): string;
	is_date(code: string): boolean;
}

interface Code {
	readonly code: string;
	readonly isDate: boolean;
	/** It has a part of its own for numbers below zero. */
	readonly hasParts: boolean;
}

/** Loads the formatter. `date1904` for workbooks whose days count from 1904. */
export async function numberFormat(date1904 = false): Promise<NumberFormat> {
	const { SSF } = await import('@e965/xlsx');
	const formatter: Formatter = SSF;
	const codes = new Map<string, Code>();
	return (value, written) => {
		const isPlain = plain.test(written) || written.length > longestCode;
		if (isPlain || !(Math.abs(value) < largest)) return general(value);
		const code = codes.get(written) ?? codeOf(written, formatter);
		codes.set(written, code);
		return (formatted(formatter, code, value, { date1904 }) ?? general(value)).trim();
	};
}

/** Excel shows as many digits as there is room for; here is room for all that mean something: fifteen. */
function general(value: number): string {
	const text = String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
	return text.replace(/e([+-])(\d+)$/, (_, sign: string, digits: string) => `E${sign}${digits.padStart(2, '0')}`);
}

/** Quoted texts, signs that mean themselves, blanks as wide as a sign, signs that fill a cell, what stands in brackets; and what may need quotes. */
const pieces =
	/"[^"]*"|\\[\0-\uffff]|_.|(?<fill>\*.)|\[[^\]]*\]|(?<dots>\.(?![0#?]))|(?<foreign>[CFI-LNOQRT-XZ]|\\?[^\0-\x7f€上下午]+)/gu;

/**
 * A code as the formatter takes it: spreadsheets let signs of other scripts and currencies stand without quotes, and the dots of `dd.mm.yyyy`; they fill
 * cells with any sign, of which there is none in a text.
 */
function codeOf(written: string, formatter: Formatter): Code {
	const isDate = formatter.is_date(written);
	const code = written.replace(pieces, (piece, ...rest) => {
		const { fill, dots, foreign }: Record<string, string | undefined> = rest.at(-1);
		if (fill !== undefined) return '';
		const isText = foreign !== undefined || (dots !== undefined && isDate);
		return isText ? `"${piece.replace('\\', '')}"` : piece;
	});
	return { code, isDate, hasParts: written.replace(pieces, '').includes(';') };
}

function formatted(
	formatter: Formatter,
	{ code, isDate, hasParts }: Code,
	value: number,
	options: { readonly date1904: boolean },
): string | undefined {
	try {
		if (value >= 0 || (hasParts && !isDate)) return formatter.format(code, value, options);
		// There are durations below zero; for dates before the first one a spreadsheet shows ####, and the number says more.
		if (isDate && !elapsed.test(code)) return undefined;
		// Without the sign: the formatter rounds -1.5 up.
		return `-${formatter.format(code, -value, options)}`;
	} catch {
		// A code that it does not understand.
		return undefined;
	}
}
