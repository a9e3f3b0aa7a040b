import MiniSearch from 'minisearch';
import { runningLines } from '../text/page-headers.ts';
import { type Unit, UnitReader } from '../text/units.ts';
import { termsOf } from '../text/words.ts';
import type { Portion, Source } from './portions.ts';
import { Slices } from './slices.ts';

/** Terms with how much each counts. */
export type Query = readonly { readonly term: string; readonly weight: number }[];

/** How well a unit matches. */
export interface Hit {
	/** BM25, and more where several of the terms stand: greater is better. */
	readonly score: number;
	/** Which terms of the query it matches, misspelt ones and beginnings of longer words included. */
	readonly terms: readonly string[];
}

/** The texts of some documents, read into units and indexed. */
export interface Collection {
	readonly units: readonly Unit[];
	/** In how many units a term stands. */
	frequency(term: string): number;
	/** The units that match, by their ids. */
	search(query: Query, slices: Slices): Promise<ReadonlyMap<number, Hit>>;
}

/** Reads and indexes portions of documents in slices of a few milliseconds. */
export async function createCollection(
	sources: readonly Source[],
	portions: Iterable<Portion>,
	signal?: AbortSignal,
): Promise<Collection> {
	const slices = new Slices(signal);
	const units = await readUnits(sources, portions, slices);
	const frequencies = new Map<string, number>();
	const index = new MiniSearch<{ id: number; text: string }>({
		fields: ['text'],
		tokenize: termsOf,
		processTerm: (term) => term,
	});
	for (const { id, text } of units) {
		if (slices.isOver) await slices.pause();
		index.add({ id, text });
		for (const term of new Set(termsOf(text))) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
	}
	const frequency = (term: string) => frequencies.get(term) ?? 0;
	return {
		units,
		frequency,
		search: (query, slices) => search(index, query, frequency, slices),
	};
}

async function readUnits(
	sources: readonly Source[],
	portions: Iterable<Portion>,
	slices: Slices,
): Promise<readonly Unit[]> {
	const reader = new UnitReader();
	let document = -1;
	let running: ReadonlySet<string> = new Set();
	for (const portion of portions) {
		if (slices.isOver) await slices.pause();
		if (portion.document !== document) {
			document = portion.document;
			running = runningLines(sources[document]?.pages ?? []);
			reader.startDocument();
		}
		reader.addPage(document, portion, running);
	}
	return reader.units;
}

/** Terms that stand nowhere are looked for as beginnings of others and as slips of the keyboard. One term at a time: a frequent one takes milliseconds. */
async function search(
	index: MiniSearch,
	query: Query,
	frequency: (term: string) => number,
	slices: Slices,
): Promise<ReadonlyMap<number, Hit>> {
	const hits = new Map<number, { score: number; terms: string[] }>();
	const done = new Set<string>();
	for (const { term, weight } of query) {
		const meant = frequency(term) > 0 ? ([[term, 1]] as const) : similar(index, term);
		for (const [word, share] of meant) {
			if (done.has(word)) continue;
			done.add(word);
			if (slices.isOver) await slices.pause();
			for (const { id, score } of index.search(word, exactly)) {
				const hit = hits.get(id) ?? { score: 0, terms: [] };
				hit.score += score * weight * share;
				if (!hit.terms.includes(term)) hit.terms.push(term);
				hits.set(id, hit);
			}
		}
	}
	for (const hit of hits.values()) hit.score *= hit.terms.length;
	return hits;
}

const exactly = { tokenize: (text: string) => [text], processTerm: (term: string) => term };

/** What a term that stands nowhere may mean: longer words that begin with it, and words with one or two other letters. */
function similar(index: MiniSearch, term: string): readonly (readonly [string, number])[] {
	if (!/^\p{L}{4,40}$/u.test(term)) return [];
	const results = index.search(term, { ...exactly, prefix: true, fuzzy: term.length < 5 ? 0 : 2 });
	const words = new Set(results.flatMap((result) => result.terms));
	return [...words]
		.filter((word) => word.startsWith(term) || isSlip(word, term))
		.slice(0, 8)
		.map((word) => [word, word.startsWith(term) ? 0.6 : 0.5] as const);
}

/** People seldom miss the first letter, and `sound` is no slip of `found`. Two slips need a long word, unless they are letters in the wrong order. */
function isSlip(word: string, term: string): boolean {
	if (word[0] !== term[0]) return false;
	return term.length >= 8 || lettersOf(word) === lettersOf(term) || isOneOff(word, term);
}

function lettersOf(word: string): string {
	return [...word].sort().join('');
}

/** One letter is other, missing or too many. */
function isOneOff(one: string, other: string): boolean {
	let at = 0;
	while (at < one.length && one[at] === other[at]) at++;
	const rest = (word: string, skipped: number) => word.slice(at + skipped);
	return rest(one, 1) === rest(other, 1) || rest(one, 1) === rest(other, 0) || rest(one, 0) === rest(other, 1);
}
