import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type PlinthError, plinthError } from '../../../contract/errors/coded-error.ts';
import type { SpoolOptions } from '../../../contract/http/route.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { pathName } from '../../../contract/words.ts';
import { httpLimits, type ResolvedLimits } from '../../limits.ts';
import { malformed, tooLarge, tooMany } from '../chunks.ts';
import { DataUrlError } from '../files/data-url.ts';
import { FileTooLarge, IncomingFile } from '../files/incoming-file.ts';
import { Spool } from '../files/spool.ts';
import { excesses, type JsonTransform } from './json.ts';
import { LongString, longestString } from './long-string.ts';
import { type JsonPiece, JsonScanner } from './scanner.ts';

/** The limits of a body: the bytes of one file, the number of files, and the bytes of text without them. */
export type JsonFileLimits = Pick<ResolvedLimits, 'file' | 'files' | 'allFields'>;

/**
 * Moves long base64 data URLs, and base64 alone in the members named by `bare`, from an arriving JSON body to temporary
 * files, one at a time. A rest that is too long is a 413 `E_BODY_TOO_LARGE`. `restore` inserts the files when parsed.
 */
export class JsonFiles implements JsonTransform {
	readonly #limits: JsonFileLimits;
	readonly #options: SpoolOptions;
	readonly #scanner = new JsonScanner(httpLimits, longestString);
	readonly #spool = new Spool();
	/** By the placeholder in the text. Placeholders are random, so that no client can have sent one. */
	readonly #files = new Map<string, UploadedFile | DataUrlError | FileTooLarge>();
	#textBytes = 0;
	/** The current long string, and its file when it is one. */
	#string: LongString | undefined;
	#file: IncomingFile | undefined;

	constructor(limits: JsonFileLimits, options: SpoolOptions = {}) {
		this.#limits = limits;
		this.#options = options;
	}

	async pass(chunk: Buffer): Promise<Buffer> {
		const texts: Buffer[] = [];
		// A request from `fetch` may have its whole body in one chunk.
		for (let at = 0; at < chunk.length; at += httpLimits.pieceBytes) {
			if (at > 0) await setImmediate();
			for (const piece of this.#scanner.split(chunk.subarray(at, at + httpLimits.pieceBytes))) {
				const text = piece.isLong ? await this.#addLong(piece) : piece.bytes;
				// The limit of the whole body allows for files. That much text would be in memory, and parsed in one step.
				this.#textBytes += text.length;
				if (this.#textBytes > this.#limits.allFields) {
					throw tooLarge(undefined, 'text without its files', this.#limits.allFields);
				}
				texts.push(text);
			}
			if (this.#scanner.excess) throw malformed(excesses[this.#scanner.excess]);
		}
		const [only, ...more] = texts;
		return only && more.length === 0 ? only : Buffer.concat(texts);
	}

	/**
	 * Inserts the files. Throws for a refused one, with the path of its value: 413 `E_BODY_TOO_LARGE`, or 400
	 * `E_VALUE_INVALID` for empty or bad base64, unless `keepDamaged` is set: the value is the {@link DataUrlError} then.
	 */
	restore(body: unknown): unknown {
		if (this.#files.size === 0) return body;
		return replaceStrings(body, [], (text, path) => {
			const file = this.#files.get(text) ?? text;
			if (!(file instanceof Error) || (this.#options.keepDamaged && file instanceof DataUrlError)) return file;
			throw this.#refusal(file, pathName(path).slice(0, 200) || undefined);
		});
	}

	/** Deletes the files. No call of `pass` may be pending. */
	async remove(): Promise<void> {
		await this.#file?.remove();
		await this.#spool.remove();
	}

	/** Adds a piece of a long string, and returns the part of it that stays in the text. */
	async #addLong({ bytes, isEnd, name }: JsonPiece): Promise<Buffer> {
		const { only, bare } = this.#options;
		if (only?.includes(name) === false) return bytes;
		this.#string ??= new LongString(bare?.includes(name) ?? false);
		const { text = nothing, data } = this.#string.add(bytes, isEnd);
		if (data !== undefined) {
			this.#file ??= this.#createFile();
			await this.#file.write(data);
		}
		if (!isEnd) return text;
		this.#string = undefined;
		if (!this.#file) return text;
		const placeholder = `plinth-file-${randomUUID()}`;
		this.#files.set(placeholder, await this.#file.end());
		this.#file = undefined;
		return Buffer.from(placeholder);
	}

	#createFile(): IncomingFile {
		if (this.#files.size === this.#limits.files) throw tooMany('files', this.#limits.files);
		return new IncomingFile(this.#spool, this.#limits.file);
	}

	#refusal(fault: DataUrlError | FileTooLarge, param: string | undefined): PlinthError {
		if (fault instanceof FileTooLarge) return tooLarge(param, 'file', this.#limits.file);
		const message = `${param ?? 'The body'}: ${fault.message}.`;
		return plinthError('E_VALUE_INVALID', { ...(param !== undefined && { param }), message });
	}
}

const nothing = Buffer.alloc(0);

/** Replaces each string of a parsed text, in the order of the values. Objects and arrays are changed in place. */
function replaceStrings(
	value: unknown,
	path: readonly PropertyKey[],
	replace: (text: string, path: readonly PropertyKey[]) => unknown,
): unknown {
	if (typeof value === 'string') return replace(value, path);
	if (typeof value !== 'object' || value === null) return value;
	const holder = value as Record<string, unknown>;
	for (const key of Object.keys(holder)) {
		holder[key] = replaceStrings(holder[key], [...path, Array.isArray(value) ? Number(key) : key], replace);
	}
	return value;
}
