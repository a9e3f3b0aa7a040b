import type { EnginePage } from './engine.ts';
import type { PdfObjects } from './objects.ts';
import { hasPlainMarks, type Restore, restorerFrom } from './punctuation.ts';
import type { SecondEngine } from './second-engine.ts';
import { shownTexts } from './shown-text.ts';

/**
 * LiteParse turns quotation marks and dashes into ASCII (2.14.7). The right ones are learned from the document's own content streams or, where
 * these are encrypted, from the second engine's text of the same page.
 */
export async function restorePages(
	pages: readonly EnginePage[],
	objects: PdfObjects,
	second: SecondEngine,
	signal?: AbortSignal,
): Promise<EnginePage[]> {
	if (!pages.some(isFlat)) return [...pages];
	if (!objects.trailer.includes('/Encrypt'))
		return withMarks(pages, restorerFrom(shownTexts(objects)));
	const restored: EnginePage[] = [];
	for (const page of pages) {
		signal?.throwIfAborted();
		const other = isFlat(page) ? await second.page(page.page) : undefined;
		const texts = other ? [other.items.map(({ text }) => text).join(' ')] : [];
		restored.push(...withMarks([page], restorerFrom(texts)));
	}
	return restored;
}

function isFlat({ items }: EnginePage): boolean {
	return items.some(({ text }) => hasPlainMarks(text));
}

// Letters of neighbouring items are surroundings, too. No engine gives this character.
const separator = '\u0001';

function withMarks(pages: readonly EnginePage[], restore: Restore | undefined): EnginePage[] {
	if (!restore) return [...pages];
	return pages.map((page) => {
		const texts = restore(page.items.map(({ text }) => text).join(separator)).split(separator);
		if (texts.length !== page.items.length) return page;
		return {
			...page,
			items: page.items.map((item, index) => ({ ...item, text: texts[index] ?? item.text })),
		};
	});
}
