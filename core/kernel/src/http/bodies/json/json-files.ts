import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isPlinthError, type PlinthError, plinthError } from '../../../contract/errors/coded-error.ts';
import type { SpoolOptions } from '../../../contract/http/route.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { httpLimits, type ResolvedLimits } from '../../limits.ts';
import { pathName } from '../../validation/issues.ts';
import { DataUrlError } from '../files/data-url.ts';
import { FileTooLarge, IncomingFile } from '../files/incoming-file.ts';
import { Spool } from '../files/spool.ts';
import { tooLarge, tooMany } from '../forms/multipart.ts';
import { excesses, type JsonTransform, malformed } from './json.ts';
import { LongString, longestString } from './long-string.ts';
import { type JsonPiece, JsonScanner } from './scanner.ts';

/** What is wrong with a value whose place in the body is not known yet. */
type Refusal = (param: string | undefined) => PlinthError;

/** What a body may bring: the largest file in bytes, how many files, and the bytes of text without them. */
export type JsonFileLimits = Pick<ResolvedLimits, 'file' | 'files' | 'allFields'>;

/**
 * Takes long base64 data URLs, and base64 alone in the members named by `bare`, out of a JSON body while it arrives,
 * decodes them and writes them to temporary files, one at a time. What is left is short, or refused with 413
 * `E_BODY_TOO_LARGE`; parsed, it gets the files back by `restore`.
 */
export class JsonFiles implements JsonTransform {
	readonly #limits: JsonFileLimits;
	readonly #only: readonly string[] | undefined;
	readonly #bare: readonly string[];
	readonly #keepsDamaged: boolean;
	readonly #scanner = new JsonScanner(httpLimits, longestString);
	readonly #spool = new Spool();
	/** What stands in the text in place of the files. It is as new as the request, so that no client can have sent it. */
	readonly #nonce = `plinth-file-${randomUUID()}`;
	readonly #files = new Map<string, UploadedFile | DataUrlError>();
	#count = 0;
	#textBytes = 0;
	/** The long string at hand, what stands in its place once it is a file, and that file while it is wanted. */
	#string: LongString | undefined;
	#placeholder: string | undefined;
	#file: IncomingFile | undefined;
	/** The first thing that was refused; nothing is stored from there on. */
	#refused: { readonly placeholder: string; readonly refusal: Refusal } | undefined;
	#isOver = false;
	#work: Promise<unknown> = Promise.resolve();

	constructor(limits: JsonFileLimits, { only, bare = [], keepDamaged = false }: SpoolOptions = {}) {
		this.#limits = limits;
		this.#only = only;
		this.#bare = bare;
		this.#keepsDamaged = keepDamaged;
	}

	pass(chunk: Buffer): Promise<Buffer> {
		const work = this.#pass(chunk);
		this.#work = work.catch(() => {});
		return work;
	}

	rest(): Buffer {
		return Buffer.concat([this.#string?.held() ?? nothing, this.#scanner.rest()]);
	}

	/**
	 * Puts the files where they belong in the parsed text, and returns it. Throws what is to be said of a file that was
	 * refused: 400 `E_VALUE_INVALID` for what is no base64 or empty, unless such data is kept as a {@link
	 * DataUrlError}; 413 `E_BODY_TOO_LARGE`, with the path of the value.
	 */
	restore(body: unknown): unknown {
		if (this.#count === 0) return body;
		const whole = { body };
		const found = new Set<string>();
		for (const { holder, key, text, path } of placesOf(whole, this.#nonce)) {
			if (text === this.#refused?.placeholder) {
				throw this.#refused.refusal(pathName(path.slice(1)).slice(0, 200) || undefined);
			}
			found.add(text);
			holder[key] = this.#files.get(text);
		}
		// A refused value that another one of the same name has replaced; what came behind it has not been kept.
		if ([...found].some((text) => !this.#files.has(text))) {
			throw malformed('the same key comes twice, once with a file that cannot be taken');
		}
		return whole.body;
	}

	/** Deletes the files. Settles when nothing is being written any more. */
	async remove(): Promise<void> {
		this.#isOver = true;
		await this.#file?.stop();
		await this.#work;
		await this.#spool.remove();
	}

	async #pass(chunk: Buffer): Promise<Buffer> {
		const kept: Buffer[] = [];
		// A request that `fetch` carries may bring everything in one chunk.
		for (let at = 0; at < chunk.length; at += httpLimits.pieceBytes) {
			if (at > 0) await setImmediate();
			for (const piece of this.#scanner.split(chunk.subarray(at, at + httpLimits.pieceBytes))) {
				if (this.#isOver) throw malformed('nobody reads it any more');
				const text = piece.isLong ? await this.#take(piece) : piece.bytes;
				// The bounds of such bodies are made for files: as much text would lie in memory, and be parsed at once.
				this.#textBytes += text.length;
				if (this.#textBytes > this.#limits.allFields) {
					throw tooLarge(undefined, 'text without its files', this.#limits.allFields);
				}
				kept.push(text);
			}
			if (this.#scanner.excess) throw malformed(excesses[this.#scanner.excess]);
		}
		const [only, ...more] = kept;
		return only && more.length === 0 ? only : Buffer.concat(kept);
	}

	/** Returns what stays of a piece of a long string. */
	async #take({ bytes, isEnd, name }: JsonPiece): Promise<Buffer> {
		if (this.#only?.includes(name) === false) return bytes;
		this.#string ??= new LongString(this.#bare.includes(name));
		const { text = nothing, data } = this.#string.add(bytes, isEnd);
		if (data !== undefined) await this.#receive((file) => file.write(data));
		if (!isEnd) return text;
		this.#string = undefined;
		const placeholder = this.#placeholder;
		if (placeholder === undefined) return text;
		await this.#receive(async (file) => {
			this.#files.set(placeholder, await file.end());
			this.#file = undefined;
		});
		this.#placeholder = undefined;
		return Buffer.from(placeholder);
	}

	/** Begins a file with the first data of a string. */
	#begin(): string {
		if (this.#count === this.#limits.files) throw tooMany('files', this.#limits.files);
		if (!this.#refused) this.#file = new IncomingFile(this.#spool, this.#limits.file);
		return `${this.#nonce}-${this.#count++}`;
	}

	async #receive(step: (file: IncomingFile) => Promise<void>): Promise<void> {
		this.#placeholder ??= this.#begin();
		const file = this.#file;
		if (!file) return;
		try {
			await step(file);
		} catch (error) {
			const refusal = refusalOf(error, this.#limits.file);
			// What is neither is our own failure, and no fault of the body.
			if (!refusal) throw isPlinthError(error) ? error : plinthError('E_INTERNAL', { cause: error });
			if (this.#keepsDamaged && error instanceof DataUrlError) this.#files.set(this.#placeholder, error);
			else this.#refused = { placeholder: this.#placeholder, refusal };
			this.#file = undefined;
			await file.stop();
		}
	}
}

const nothing = Buffer.alloc(0);

function refusalOf(error: unknown, maxFileBytes: number): Refusal | undefined {
	if (error instanceof FileTooLarge) return (param) => tooLarge(param, 'file', maxFileBytes);
	if (!(error instanceof DataUrlError)) return undefined;
	return (param) =>
		plinthError('E_VALUE_INVALID', {
			...(param === undefined ? {} : { param }),
			message: `${param ?? 'The body'}: ${error.message}.`,
		});
}

/** A string in a parsed text that stands for a file. */
interface PlaceOfFile {
	readonly holder: Record<string, unknown>;
	readonly key: string;
	readonly text: string;
	readonly path: readonly PropertyKey[];
}

/** Finds them below an object or array, in the order of the values. */
function* placesOf(root: object, nonce: string, above: readonly PropertyKey[] = []): Generator<PlaceOfFile> {
	const holder = root as Record<string, unknown>;
	for (const key of Object.keys(holder)) {
		const value = holder[key];
		const path = [...above, Array.isArray(root) ? Number(key) : key];
		if (typeof value === 'string') {
			if (value.startsWith(nonce)) yield { holder, key, text: value, path };
		} else if (typeof value === 'object' && value !== null) {
			yield* placesOf(value, nonce, path);
		}
	}
}
