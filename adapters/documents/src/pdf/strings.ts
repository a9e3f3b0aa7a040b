const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The string, or the first one of the array, that a key of a dictionary has. The text is Latin-1, one character for each byte. */
export function stringOf(dictionary: string, key: string): Buffer | undefined {
	const pattern = new RegExp(
		`/${key}\\s*(?:\\[\\s*)?(?:\\(((?:\\\\[\\s\\S]|[^\\\\()]|\\((?:\\\\[\\s\\S]|[^\\\\()]){0,999}\\)){0,9999})\\)|<([0-9A-Fa-f\\s]*)>)`,
	);
	const [, literal, hex] = pattern.exec(dictionary) ?? [];
	if (literal !== undefined) return Buffer.from(unescaped(literal), 'latin1');
	return hex === undefined ? undefined : hexBytes(hex);
}

/** The bytes of a string written as hexadecimal digits. A last digit alone is followed by a zero (ISO 32000-1, 7.3.4.3). */
export function hexBytes(hex: string): Buffer {
	const digits = hex.replace(/\s/g, '');
	return Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex');
}

/** What the inside of a literal string means, one character for each byte. */
export function unescaped(literal: string): string {
	if (!literal.includes('\\')) return literal;
	return literal.replace(/\\(?:([0-7]{1,3})|(\r\n|[\s\S]))/g, (_, octal, character) => {
		if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
		return /[\r\n]/.test(character) ? '' : (escapes[character] ?? character);
	});
}
