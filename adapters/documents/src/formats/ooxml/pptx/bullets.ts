import { type NumberKind, numeral } from '../counting.ts';
import type { Bullet, TextBody } from '../drawing/text-body.ts';

/** Finds the bullet of a level where a paragraph names none itself. */
export type Inherited = (level: number) => Bullet | undefined;

interface Counter {
	readonly scheme: string;
	value: number;
}

/** The lines of a shape: items with `- ` or their number, indented by their level. */
export function listLines({ paragraphs, bullets }: TextBody, inherited: Inherited): string[] {
	const counters = new Map<number, Counter>();
	const lines: string[] = [];
	for (const { text, level, bullet } of paragraphs) {
		const trimmed = text.trim();
		if (trimmed === '') continue;
		const mark = markOf(bullet ?? bullets.get(level) ?? inherited(level), level, counters);
		lines.push(mark === '' ? trimmed : `${'  '.repeat(level)}${mark} ${trimmed}`);
	}
	return lines;
}

function markOf(bullet: Bullet | undefined, level: number, counters: Map<number, Counter>): string {
	for (const deeper of [...counters.keys()]) if (deeper > level) counters.delete(deeper);
	if (bullet?.kind !== 'number') {
		counters.delete(level);
		return bullet?.kind === 'sign' ? '-' : '';
	}
	const { scheme, start } = bullet;
	const counter = counters.get(level);
	const value = counter?.scheme === scheme ? counter.value + 1 : start;
	counters.set(level, { scheme, value });
	return numberedBy(scheme, value);
}

/** The schemes say it all in their names: `arabicPeriod`, `alphaLcParenBoth`, `romanUcParenR`. */
function numberedBy(scheme: string, value: number): string {
	const text = numeral(value, kindOf(scheme));
	if (scheme.endsWith('ParenBoth')) return `(${text})`;
	if (scheme.endsWith('ParenR')) return `${text})`;
	return scheme.endsWith('Plain') ? text : `${text}.`;
}

function kindOf(scheme: string): NumberKind {
	if (scheme.startsWith('alphaLc')) return 'lowerLetter';
	if (scheme.startsWith('alphaUc')) return 'upperLetter';
	if (scheme.startsWith('romanLc')) return 'lowerRoman';
	return scheme.startsWith('romanUc') ? 'upperRoman' : 'decimal';
}
