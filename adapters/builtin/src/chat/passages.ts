/** The parts of a document that are searched. */
export interface SearchedDocument {
	readonly filename: string;
	/** False: the format has no pages, and quotes name none. */
	readonly hasPages: boolean;
	readonly pages: readonly { readonly page: number; readonly text: string }[];
}

/** A piece of a document, word for word except for its white space. */
export interface Passage {
	readonly filename: string;
	/** Absent for formats without pages. */
	readonly page?: number;
	readonly text: string;
}

/** Up to 240 characters that end with a sentence or paragraph, else with a word, else anywhere. */
const piece = /\S(?:.{0,239}(?:[.!?](?=\s|$)|[。！？]|(?=\n[^\S\n]*\n))|.{0,239}(?=\s|$)|.{0,239})/gsu;

/** The passages of a document in order. */
export function* passagesOf({ filename, hasPages, pages }: SearchedDocument): Generator<Passage> {
	for (const { page, text } of pages) {
		for (const [match] of text.matchAll(piece)) {
			yield { filename, ...(hasPages && { page }), text: match.trim().replace(/\s+/g, ' ') };
		}
	}
}
