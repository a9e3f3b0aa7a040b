import type { EnginePage } from './engine.ts';

// Replacement characters, private use, controls, and code points that nobody has assigned: what a missing font map leaves.
const broken = /[\uFFFD\uFFFE\uFFFF\p{Co}\p{Cn}\p{Cc}]/gu;
const word = /^\p{P}*(?:\p{Lu}?[\p{Ll}\p{M}'’-]+|[\p{Lu}\p{M}'’-]+|[\p{Lo}\p{Lm}\p{M}]+|[\p{N}.,:/%-]+)\p{P}*$/u;
const letters = /[\p{L}\p{N}]/gu;
// Most text is plain, and every page is judged.
const plain = /^[ -~]*$/;
const plainLetters = /[A-Za-z0-9]/g;

/** How much text a page holds, and how far it looks like text: 0 is noise, 1 is fine. */
export interface Quality {
	readonly amount: number;
	readonly trust: number;
}

/** Judges a page's text by its characters and by the shapes of its words; no dictionary, any script. */
export function qualityOf({ items }: EnginePage): Quality {
	const text = items.map((item) => item.text).join(' ');
	if (text.trim() === '') return { amount: 0, trust: 0 };
	const isPlain = plain.test(text);
	const amount = text.match(isPlain ? plainLetters : letters)?.length ?? 0;
	const noise = isPlain ? 0 : (text.replace(/\s/g, '').match(broken)?.length ?? 0) / text.length;
	const words = text.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part));
	const shaped = words.filter((part) => word.test(part)).length;
	const share = words.length === 0 ? 0 : shaped / words.length;
	return { amount, trust: Math.max(0, share * (1 - 5 * noise)) };
}

/** So many items tell enough of a page. */
const enough = 16;

/** Whether a page's text should be compared with another engine's. */
export function isSuspicious(page: EnginePage): boolean {
	const step = Math.max(1, Math.ceil(page.items.length / enough));
	const some = page.items.filter((_, index) => index % step === 0);
	const { amount, trust } = qualityOf({ ...page, items: some });
	return amount === 0 || page.isDoubtful || trust < 0.55 || page.isPicture;
}

/** Whether another engine's page is clearly better: more of what looks like text. */
export function isBetter(other: EnginePage, page: EnginePage): boolean {
	return value(other) > 1.1 * value(page);
}

function value(page: EnginePage): number {
	const { amount, trust } = qualityOf(page);
	return amount * trust * trust;
}
