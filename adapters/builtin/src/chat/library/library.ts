import { createHash } from 'node:crypto';
import { type Collection, createCollection } from './collection.ts';
import { choosePortions, portionsOf, type Source } from './portions.ts';
import { Slices } from './slices.ts';

/** Characters that are indexed whole; of more, only the passages that match the question are. */
const wholeCharacters = 3_000_000;
/** What is kept indexed: sets of documents, and their characters in all. */
const kept = { sets: 12, characters: 9_000_000 };

interface Shelved {
	readonly characters: number;
	readonly collection: Promise<Collection>;
}

/** What was opened, and whether it is only a choice out of what is there. */
export interface Opened {
	readonly collection: Collection;
	readonly isPartial: boolean;
}

/** Indexed documents, kept by their content for the next question. */
export class Library {
	readonly #shelf = new Map<string, Shelved>();

	/** Opens a set of documents for a question's terms. An aborted signal rejects with its reason; what others wait for goes on. */
	async open(sources: readonly Source[], terms: readonly string[], signal: AbortSignal): Promise<Opened> {
		const characters = charactersOf(sources);
		if (characters > wholeCharacters) {
			const portions = await choosePortions(sources, terms, signal);
			return { collection: await createCollection(sources, portions, signal), isPartial: true };
		}
		const key = await keyOf(sources, signal);
		const collection = await this.#shelved(key, characters, sources);
		signal.throwIfAborted();
		return { collection, isPartial: false };
	}

	#shelved(key: string, characters: number, sources: readonly Source[]): Promise<Collection> {
		const known = this.#shelf.get(key);
		const shelved = known ?? {
			characters,
			collection: createCollection(sources, portionsOf(sources)),
		};
		// The last one is the one used last.
		this.#shelf.delete(key);
		this.#shelf.set(key, shelved);
		if (!known) {
			this.#clear();
			shelved.collection.catch(() => this.#shelf.delete(key));
		}
		return shelved.collection;
	}

	#clear(): void {
		let characters = 0;
		for (const [at, [key, shelved]] of [...this.#shelf].reverse().entries()) {
			characters += shelved.characters;
			if (at >= kept.sets || (at > 0 && characters > kept.characters)) this.#shelf.delete(key);
		}
	}
}

/** Characters of all documents. */
function charactersOf(sources: readonly Source[]): number {
	return sources.flatMap(({ pages }) => pages).reduce((sum, page) => sum + page.text.length, 0);
}

async function keyOf(sources: readonly Source[], signal: AbortSignal): Promise<string> {
	const hash = createHash('sha1');
	const slices = new Slices(signal);
	for (const { document, page, text } of portionsOf(sources)) {
		if (slices.isOver) await slices.pause();
		hash.update(`${document}/${page}/${text.length}\n`).update(text);
	}
	return hash.digest('base64');
}
