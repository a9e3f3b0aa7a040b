import { type PdfObjects, pagesOf, referenceOf } from './objects.ts';
import { leavesOf } from './page-tree.ts';

/**
 * Writes a damaged document's cross-reference table and trailer anew, behind its bytes, from the objects that are left of it. Undefined when no
 * page is among them.
 */
export function rebuilt(bytes: Buffer, objects: PdfObjects): Buffer | undefined {
	const pages = pagesOf(objects);
	if (pages.length === 0) return undefined;
	const file = new Writer(bytes, objects);
	// Objects in object streams cannot stand in a plain table: they are written out.
	for (const number of objects.numbers) if (!objects.placeOf(number)) file.add(number, objects.text(number) ?? 'null');
	const root = rootOf(objects, pages) ?? newRoot(file, pages);
	return file.end(root, objects.trailer);
}

/** The catalogue, if it and every page below it are still there. */
function rootOf(objects: PdfObjects, pages: readonly number[]): number | undefined {
	const root = objects.numbers.find((number) => /\/Type\s*\/Catalog/.test(objects.text(number) ?? ''));
	const leaves = new Set(leavesOf(objects, root));
	return pages.every((page) => leaves.has(page)) ? root : undefined;
}

function newRoot(file: Writer, pages: readonly number[]): number {
	const kids = pages.map((page) => `${page} 0 R`).join(' ');
	const tree = file.next();
	file.add(tree, `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 612 792] >>`);
	const root = file.next();
	file.add(root, `<< /Type /Catalog /Pages ${tree} 0 R >>`);
	return root;
}

class Writer {
	readonly #parts: Buffer[];
	readonly #entries = new Map<number, { offset: number; generation: number }>();
	#length: number;
	#highest: number;

	constructor(bytes: Buffer, objects: PdfObjects) {
		this.#parts = [bytes];
		this.#length = bytes.length;
		this.#highest = objects.numbers.reduce((most, number) => Math.max(most, number), 0);
		for (const number of objects.numbers) {
			const place = objects.placeOf(number);
			if (place) this.#entries.set(number, place);
		}
		// The file may end inside a stream.
		if (bytes.lastIndexOf('endobj') < bytes.lastIndexOf(' obj')) this.#write('\nendstream\nendobj');
		this.#write('\n');
	}

	next(): number {
		this.#highest += 1;
		return this.#highest;
	}

	add(number: number, text: string): void {
		this.#entries.set(number, { offset: this.#length, generation: 0 });
		this.#write(`${number} 0 obj\n${text}\nendobj\n`);
	}

	end(root: number, trailer: string): Buffer {
		const start = this.#length;
		this.#write('xref\n0 1\n0000000000 65535 f \n');
		for (const [number, { offset, generation }] of this.#entries) {
			const [at, age] = [String(offset).padStart(10, '0'), String(generation).padStart(5, '0')];
			this.#write(`${number} 1\n${at} ${age} n \n`);
		}
		const kept = ['Encrypt', 'Info'].flatMap((key) => {
			const number = referenceOf(trailer, key);
			return number === undefined ? [] : [`/${key} ${number} 0 R`];
		});
		const [id = ''] = /\/ID\s*\[[^\]]*\]/.exec(trailer) ?? [];
		const keys = [`/Size ${this.#highest + 1}`, `/Root ${root} 0 R`, ...kept, id].join(' ');
		this.#write(`trailer\n<< ${keys} >>\nstartxref\n${start}\n%%EOF\n`);
		return Buffer.concat(this.#parts);
	}

	#write(text: string): void {
		const part = Buffer.from(text, 'latin1');
		this.#parts.push(part);
		this.#length += part.length;
	}
}
