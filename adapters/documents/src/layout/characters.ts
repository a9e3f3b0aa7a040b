/** Bullets of symbol fonts. */
const bullets = /[\uF0B7\uF0A7\uF06C\uF076\uF0D8]/g;
/** Replacement characters, private use, controls, unassigned code points: the result of fonts without a Unicode map. */
const unreadable = /[\uFFFD\p{Co}\p{Cn}\p{Cc}\u200b\u00ad]/gu;
/** Presentation forms of Latin, Hebrew and Arabic. */
const forms = /[\uFB00-\uFDFF\uFE70-\uFEFE]+/g;
const leaders = /(?:[.·…] ?){6,}/g;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;
const leftToRight = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/gu;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const plain = /^[ -~]*$/;

/** Clean text: letters for ligatures and presentation forms, no unreadable characters, five dots for a row of dots. */
export function cleanText(text: string): string {
	const short = text.replace(leaders, '..... ').trim();
	if (plain.test(short)) return short;
	const clean = short
		.replace(bullets, '•')
		.replace(unreadable, '')
		.replace(forms, (form) => form.normalize('NFKC'));
	return withBrackets(clean.normalize('NFC').replace(/[\u00a0\u2000-\u200a]/g, ' ')).trim();
}

/** Mirrors brackets of right-to-left text that were stored in visual order. */
function withBrackets(text: string): string {
	if (!/^[^([]*[)\]][^)\]]*[([]/.test(text) || !isFromRight(text)) return text;
	return text.replace(/[()[\]]/g, (bracket) => '()[]'['()[]'.indexOf(bracket) ^ 1] ?? bracket);
}

/** Reverses a text on a right-to-left page that pdf.js treats as left-to-right: it has few right-to-left letters. */
export function fromRightOf(text: string): string {
	const share = (text.match(rightToLeft)?.length ?? 0) / text.length;
	if (share === 0 || share >= 0.3) return text;
	const parts = /[\u0590-\u08ff]+(?:\s+[\u0590-\u08ff]+)*|[\wÀ-ɏ](?:[^\u0590-\u08ff]*[\wÀ-ɏ])?|./g;
	return (text.match(parts) ?? []).reverse().join('');
}

/** Whether most letters of a text are read from the right. */
export function isFromRight(text: string): boolean {
	if (plain.test(text)) return false;
	const right = text.match(rightToLeft)?.length ?? 0;
	return right > 0 && right > (text.match(leftToRight)?.length ?? 0);
}

/** The columns of a text on a terminal. */
export function columnsOf(text: string): number {
	return plain.test(text) ? text.length : text.length + (text.match(wide)?.length ?? 0);
}
