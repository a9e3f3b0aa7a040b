/** What a document is made of, in its order. */
export type Block =
	| { readonly kind: 'text' | 'heading' | 'item'; readonly text: string }
	| { readonly kind: 'row'; readonly text: string; readonly table: number }
	/** A note whose sign stands just before: it goes to the end of its page, or of the document. */
	| { readonly kind: 'note' | 'endnote'; readonly text: string }
	| PageBreak;

/** The end of a page. Whether a section ends one is known when the next section ends. */
export interface PageBreak {
	readonly kind: 'break';
	isPage: boolean;
}

/** The text of a story: paragraphs with an empty line between them, items of a list and rows of a table without. */
export function textOf(blocks: readonly Block[]): string {
	let text = '';
	let before: Text | undefined;
	for (const block of [...blocks.filter(isBody), ...blocks.filter(isNote)]) {
		if (before) text += areClose(before, block) ? '\n' : '\n\n';
		text += block.text;
		before = block;
	}
	return text;
}

/** The blocks of each page. Notes stay on the page where their sign is; endnotes go to the last one. */
export function pagesOf(blocks: readonly Block[]): Block[][] {
	let page: Block[] = [];
	const pages = [page];
	for (const block of blocks) {
		if (block.kind === 'endnote') continue;
		if (block.kind !== 'break') page.push(block);
		else if (block.isPage) {
			page = [];
			pages.push(page);
		}
	}
	for (const block of blocks) if (block.kind === 'endnote') page.push(block);
	return pages;
}

type Text = Exclude<Block, PageBreak>;

function isBody(block: Block): block is Text {
	return block.kind !== 'break' && !isNote(block);
}

function isNote(block: Block): block is Text {
	return block.kind === 'note' || block.kind === 'endnote';
}

function areClose(one: Text, other: Text): boolean {
	if (one.kind === 'row') return other.kind === 'row' && one.table === other.table;
	return one.kind === other.kind && (one.kind === 'item' || isNote(one));
}
