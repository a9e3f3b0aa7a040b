/** What the signs of Adobe's Symbol font mean, from 0x20 on. */
const symbol =
	' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧ∆ΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼' +
	`${' '.repeat(34)}ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑`;

/** The signs of the Wingdings fonts that texts use: marks, arrows, boxes. */
const wingdings: Readonly<Record<number, string>> = {
	40: '☎',
	41: '✆',
	42: '✉',
	74: '☺',
	76: '☹',
	108: '●',
	109: '❍',
	110: '■',
	111: '□',
	113: '❑',
	114: '❒',
	117: '◆',
	118: '❖',
	159: '•',
	167: '▪',
	168: '◻',
	216: '➢',
	223: '←',
	224: '→',
	225: '↑',
	226: '↓',
	232: '➔',
	240: '⇨',
	251: '✗',
	252: '✓',
	253: '☒',
	254: '☑',
};

/** The character that a sign of a symbol font stands for; nothing for ornaments that no character resembles. `code` is hexadecimal. */
export function symbolOf(font: string | undefined, code: string | undefined): string {
	const value = Number.parseInt(code ?? '', 16);
	if (!(value >= 0x20 && value <= 0xffff)) return '';
	// Symbol fonts live in the private area, at the place of the byte.
	const byte = value >= 0xf000 && value <= 0xf0ff ? value - 0xf000 : value;
	if (/^symbol$/i.test(font ?? '')) return [...symbol][byte - 0x20] ?? '';
	if (/^wingdings/i.test(font ?? '')) return wingdings[byte] ?? '';
	return value >= 0xe000 && value <= 0xf8ff ? '' : String.fromCharCode(value);
}
