import { posix } from 'node:path';
import { readXml, type XmlHandler } from '../../markup/xml.ts';
import { documentError, Refusal } from '../../refusal.ts';
import { type Archive, openArchive } from '../../zip/archive.ts';
import type { Budget } from '../budget.ts';

/** A link from one part of a package to another. */
export interface Relation {
	readonly id: string;
	/** The last word of its type: `slide`, `chart`, `footnotes`. Equal in the transitional and the strict variant. */
	readonly kind: string;
	/** The name of the part it leads to. */
	readonly target: string;
}

/** An Office Open XML file: parts that lead to each other by relations. */
export class OfficePackage {
	readonly #archive: Archive;
	readonly #relations = new Map<string, Promise<readonly Relation[]>>();

	private constructor(archive: Archive) {
		this.#archive = archive;
	}

	static async open(bytes: Uint8Array, budget: Budget): Promise<OfficePackage> {
		return new OfficePackage(await openArchive(bytes, budget));
	}

	/** The relations of a part, or with '' those of the package; links to the outside are left out. None when they are missing or damaged. */
	relations(part: string): Promise<readonly Relation[]> {
		const known = this.#relations.get(part);
		if (known) return known;
		const found = this.#readRelations(part);
		this.#relations.set(part, found);
		return found;
	}

	/** The part that holds the document itself. Throws `E_DOCUMENT_UNREADABLE` when there is none. */
	async main(usual: string): Promise<string> {
		const relation = (await this.relations('')).find(({ kind }) => kind === 'officeDocument');
		const found = [relation?.target, usual].find((part) => part && this.#archive.has(part));
		if (found) return found;
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: 'The document lacks the part that holds its text.',
		});
	}

	/** The bytes of a part. Each call inflates it again. */
	bytes(part: string): Promise<Buffer | undefined> {
		return this.#archive.read(part);
	}

	/** Reads a part that is needed. Answers whether it exists; throws when it is damaged. */
	async read(part: string, handler: XmlHandler): Promise<boolean> {
		const bytes = await this.#archive.read(part);
		if (bytes) readXml(bytes, handler);
		return bytes !== undefined;
	}

	/** Reads a part whose loss leaves the document readable: a damaged one tells the handler what it tells. */
	async readIfSound(part: string, handler: XmlHandler): Promise<void> {
		try {
			await this.read(part, handler);
		} catch (error) {
			if (!(error instanceof Refusal && error.code === 'E_DOCUMENT_UNREADABLE')) throw error;
		}
	}

	async #readRelations(part: string): Promise<readonly Relation[]> {
		const { dir, base } = posix.parse(part);
		const found: Relation[] = [];
		await this.readIfSound(posix.join(dir, '_rels', `${base}.rels`), {
			open(name, { Id, Type, Target, TargetMode }) {
				if (name !== 'rel:Relationship' || TargetMode === 'External') return;
				if (!Id || !Type || !Target) return;
				const kind = Type.slice(Type.lastIndexOf('/') + 1);
				found.push({ id: Id, kind, target: targetOf(dir, Target) });
			},
		});
		return found;
	}
}

/** A name within the package: what climbs above its root stays at the root. */
function targetOf(folder: string, target: string): string {
	return posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1);
}
