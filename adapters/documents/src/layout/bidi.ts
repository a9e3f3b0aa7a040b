import { isRightToLeft, lettersOf } from './characters.ts';

/**
 * Puts texts that stand side by side, from left to right, into the order in which they are read: on a line of Arabic or Hebrew from the right,
 * except that neighbouring texts of other scripts keep their order, and the reverse on other lines.
 */
export function readingOrder<T extends { readonly text: string }>(
	texts: readonly T[],
	rightToLeft: boolean,
): readonly T[] {
	if (!rightToLeft && !texts.some(({ text }) => isRightToLeft(text))) return texts;
	const stretches: T[][] = [];
	let turned: boolean | undefined;
	for (const item of texts) {
		// Numbers and signs go with what surrounds them.
		const is = lettersOf(item.text).all === 0 ? rightToLeft : isRightToLeft(item.text);
		if (is === turned) stretches.at(-1)?.push(item);
		else stretches.push([item]);
		turned = is;
	}
	const ordered = stretches.map((stretch) =>
		isRightToLeft(stretch.map(({ text }) => text).join('')) ? stretch.toReversed() : stretch,
	);
	return (rightToLeft ? ordered.reverse() : ordered).flat();
}
