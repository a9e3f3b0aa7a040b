/** Kinds of things that can be told by how they are written. */
export type FindKind = 'date' | 'amount' | 'email' | 'link' | 'phone' | 'percentage' | 'time' | 'decimal';

/** Something found in a text, as it stands there. */
export interface Find {
	readonly text: string;
	readonly at: number;
}

const month =
	'(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const year = '(?:1[4-9]|20|21)\\d{2}';
const figure = "\\d(?:[\\d.,’']*\\d)?(?:\\s?(?:million|billion|thousand|[mb]n|[kM])\\b)?";
const currency =
	'(?:US|C|A|NZ|HK)?[$€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|PLN|CZK|SEK|NOK|DKK|CAD|AUD|NZD|INR|CNY|BRL|MXN|zł|kr|Kč)(?![\\p{L}])';

const patterns: Readonly<Record<FindKind, RegExp>> = {
	date: new RegExp(
		[
			`\\b${year}-\\d{1,2}-\\d{1,2}\\b`,
			`\\b\\d{1,2}[./-]\\d{1,2}[./-](?:${year}|\\d{2})\\b`,
			`\\b${year}[./]\\d{1,2}[./]\\d{1,2}\\b`,
			`\\b${month}\\s?\\d{1,2}(?:st|nd|rd|th)?(?:\\s?[-–]\\s?\\d{1,2})?(?:,?\\s+${year})?(?!\\d)`,
			`\\b\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?${month}(?:,?\\s+${year})?(?![\\p{L}\\d])`,
			`\\b${month}\\s+${year}\\b`,
		].join('|'),
		'giu',
	),
	amount: new RegExp(`(?:${currency})\\s?${figure}|${figure}\\s?(?:${currency}|dollars?\\b|euros?\\b|cents?\\b)`, 'gu'),
	percentage: /\d+(?:[.,]\d+)?\s?(?:%|percent\b|per cent\b)/giu,
	decimal: /(?<![\p{L}\d.,])\d{1,3}(?:[.,']?\d{3}){0,4}[.,]\d{2}(?![\d\p{L}.,%])/gu,
	email: /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,6}\p{L}{2,24}/gu,
	link: /\b(?:https?:\/\/|www\.)[^\s<>"'“”)\]]{2,2000}[^\s<>"'“”)\].,;:!?]/gi,
	phone:
		/(?<![\d.,/-]|\b[A-Z]{2} )(?:\+\d{1,3}[\s.-]?)?(?:\(\d{1,5}\)[\s.-]?)?\d{1,4}(?:[\s.-]\d{2,4}){1,4}(?![\d.,/-]*\d)/g,
	time: /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?|\b\d{1,2}\s?[ap]\.?m\.?(?!\p{L})/giu,
};

/** All things of a kind in a text, in order. */
export function findAll(text: string, kind: FindKind): readonly Find[] {
	const finds = [...text.matchAll(patterns[kind])].map((match) => ({
		text: match[0].trim(),
		at: match.index,
	}));
	if (kind === 'phone') return finds.filter(({ text: found }) => isPhone(found));
	return kind === 'date' ? finds.filter(({ text: found }) => !/^may\.?$/i.test(found)) : finds;
}

/** Numbers as they stand in a text: `37,499.96`, `-3`, `2007`. */
export function figuresOf(text: string): readonly Find[] {
	const pattern = /(?<![\p{L}\p{N}.,])[-−]?\d(?:[\d.,]*\d)?(?![\p{L}\d])/gu;
	return [...text.matchAll(pattern)].map((match) => ({ text: match[0], at: match.index }));
}

/** The value of a number as people write it, with points or commas; undefined when it is none. */
export function numberOf(text: string): number | undefined {
	const digits = text.replace(/[^\d.,−-]/g, '').replace('−', '-');
	if (!/\d/.test(digits)) return undefined;
	const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
	const mark = digits[last];
	const marks = digits.split(mark ?? ' ').length - 1;
	const isDecimal =
		last >= 0 &&
		((marks === 1 && digits.length - last !== 4) || /[.,]/.test(digits.slice(0, last).replaceAll(mark ?? '', '')));
	const whole = isDecimal ? digits.slice(0, last) : digits;
	const value = Number(`${whole.replace(/[.,]/g, '')}${isDecimal ? `.${digits.slice(last + 1)}` : ''}`);
	return Number.isFinite(value) ? value : undefined;
}

function isPhone(text: string): boolean {
	const digits = text.replace(/\D/g, '');
	const isDate = /^(?:\d{4}[-.\s]\d{2}[-.\s]\d{2}|\d{2}[-.\s]\d{2}[-.\s]\d{4})$/.test(text);
	return digits.length >= 7 && digits.length <= 15 && !isDate && !/^\d{4}\s?-\s?\d{4}$/.test(text);
}
