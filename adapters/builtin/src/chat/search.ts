import MiniSearch from 'minisearch';
import { type Passage, passagesOf, type SearchedDocument } from './passages.ts';
import { termsOf } from './words.ts';

/** A search in documents. */
export interface SearchJob {
	readonly documents: readonly SearchedDocument[];
	/** From `questionTerms`. */
	readonly terms: readonly string[];
}

const maxPassages = 3;
/** Minimum share of the question's terms in a passage, and of the best passage's score. */
const minTerms = 0.5;
const minScore = 0.6;

/** The passages that match best, the best first. */
export function search({ documents, terms }: SearchJob): readonly Passage[] {
	const passages = documents.flatMap((document) => [...passagesOf(document)]);
	const index = new MiniSearch({ fields: ['text'], tokenize: termsOf, processTerm: (term) => term });
	index.addAll(passages.map(({ text }, id) => ({ id, text })));
	const matches = index
		.search(terms.join(' '), {
			tokenize: (text) => text.split(' '),
			prefix: (term) => term.length > 3,
			fuzzy: (term) => (/^\p{L}{5,}$/u.test(term) ? 0.2 : false),
		})
		.filter(({ queryTerms }) => queryTerms.length >= terms.length * minTerms);
	const best = matches.filter(({ score }) => score >= (matches[0]?.score ?? 0) * minScore);
	// The same document may be attached to several messages.
	const distinct = new Map(best.map(({ id }) => [JSON.stringify(passages[id]), passages[id] as Passage]));
	return [...distinct.values()].slice(0, maxPassages);
}
