import type { Attributes } from '../../markup/xml.ts';
import { type Counting, countedAs, countingOf, listNumber } from '../flow/numbers.ts';

interface Level {
	/** Undefined for bullets. */
	readonly counting: Counting | undefined;
	readonly prefix: string;
	readonly suffix: string;
	readonly start: number;
	/** How many levels its number shows: 2 for `3.1`. */
	readonly shown: number;
}

/** How the items of a list are marked, by level. */
export class ListStyle {
	/** The number that the last list of this style ended with. */
	last: number | undefined;
	readonly #levels = new Map<number, Level>();

	set(attributes: Attributes, isNumber: boolean): void {
		const format = attributes['style:num-format'];
		this.#levels.set(Number(attributes['text:level'] ?? 1), {
			counting: isNumber && format ? countingOf(format) : undefined,
			prefix: attributes['style:num-prefix'] ?? '',
			suffix: attributes['style:num-suffix'] ?? '',
			start: listNumber(attributes['text:start-value']) ?? 1,
			shown: listNumber(attributes['text:display-levels']) ?? 1,
		});
	}

	/** The number of the first item of a level. */
	start(level: number): number {
		return this.#levels.get(level)?.start ?? 1;
	}

	/** What stands before an item, given the numbers of the items around it and its own: `- `, `3. `, `3.1) `. */
	mark(numbers: readonly number[]): string {
		const level = numbers.length;
		const style = this.#levels.get(level);
		if (style?.counting === undefined) return '- ';
		const first = Math.max(0, level - Math.max(1, style.shown));
		const parts = numbers.slice(first).flatMap((number, index) => {
			const counting = this.#levels.get(first + index + 1)?.counting;
			return counting === undefined ? [] : [countedAs(number, counting)];
		});
		return `${style.prefix}${parts.join('.')}${style.suffix} `;
	}
}
