import {
	invalidValue,
	isPlinthError,
	maxFileBytes,
	optional,
	orAbort,
	plinthError,
	type UploadedFile,
	unsupportedValue,
	wrongType,
} from '@plinth/core';
import { Semaphore } from '../limits/semaphore.ts';
import type { FileSource } from '../ports/file-source.ts';
import type { FetchingCall, RemoteImages } from '../ports/remote-images.ts';
import { mediaServices } from '../services.ts';

/**
 * The services that a plugin needs when its requests reference files. Both are optional; requests that need
 * a missing one are refused.
 */
export const fileSources = {
	files: optional(mediaServices.files),
	remoteImages: optional(mediaServices.remoteImages),
} as const;

/** The resolved services of {@link fileSources}. */
export interface FileSources {
	readonly files: FileSource | undefined;
	readonly remoteImages: RemoteImages | undefined;
}

/** A file that a request references, not loaded yet. */
export interface ReferencedFile {
	/**
	 * Loads the file, at most once per request. Rejects with 400 errors that name the parameter, and with the
	 * signal's reason.
	 */
	load(signal: AbortSignal): Promise<UploadedFile>;
}

/** A stored file that cannot be used; `message` gives the reason for the caller. */
export class ReferencedFileError extends Error {
	override readonly name = 'ReferencedFileError';
	readonly code: 'file_not_found' | 'file_too_large';

	constructor(code: ReferencedFileError['code'], message: string, cause?: unknown) {
		super(message, { cause });
		this.code = code;
	}
}

/** Limits on the references of a request. */
export const referencedFileLimits = {
	/**
	 * Total size of the files, unless the route sets its own limit: 200 MB. Otherwise a short request could fill a disk.
	 */
	totalBytes: 209_715_200,
	/** Length of an address, in characters. */
	address: 8_192,
} as const;

/** The files that one request references: stored files by id, and pictures by address. */
export class ReferencedFiles {
	readonly #sources: FileSources;
	readonly #call: FetchingCall;
	readonly #maxBytes: number;
	/** Loaded files. Two maps, because an id may look like an address. */
	readonly #stored = new Map<string, Promise<UploadedFile>>();
	readonly #remote = new Map<string, Promise<UploadedFile>>();
	/** Limits the concurrent loads of one request. */
	readonly #slots = new Semaphore(2);
	#bytes = 0;

	/** `maxBytes` limits the total size of the files. */
	constructor(sources: FileSources, call: FetchingCall, maxBytes: number = referencedFileLimits.totalBytes) {
		this.#sources = sources;
		this.#call = call;
		this.#maxBytes = maxBytes;
	}

	/** Whether the server fetches pictures from http(s) addresses. */
	get canFetch(): boolean {
		return this.#sources.remoteImages !== undefined;
	}

	/**
	 * The stored file of an id. Throws 400 errors that name `param`: `E_VALUE_TYPE` when the id is not a
	 * string, `E_VALUE_UNSUPPORTED` when the server stores no files. Loading rejects with `E_VALUE_INVALID`
	 * for a file that is unknown, deleted or too large.
	 */
	stored(id: unknown, param: string): ReferencedFile {
		const loaded = this.checkId(id, param);
		return { load: (signal) => withParam(param, this.load(loaded, signal)) };
	}

	/** Validates an id as {@link stored} does, without reading its file. */
	checkId(id: unknown, param: string): string {
		if (typeof id !== 'string') {
			throw wrongType(param, `${param}: the id of a file is expected.`);
		}
		if (this.#sources.files) return id;
		throw unsupportedValue(
			param,
			`${param}: this server stores no files. Send the file itself, or add the plugin files of @plinth/plugin-files.`,
		);
	}

	/** Loads a stored file. Rejects with {@link ReferencedFileError} for one that cannot be used. */
	load(id: string, signal: AbortSignal): Promise<UploadedFile> {
		const copy = () => this.#slots.run(() => this.#copy(id, signal), signal);
		return loadOnce(this.#stored, id, copy);
	}

	/**
	 * The picture at an http(s) address. Throws 400 errors that name `param`: `E_STRING_TOO_LONG`, and
	 * `E_VALUE_UNSUPPORTED` unless {@link canFetch}.
	 */
	remote(url: string, param: string): ReferencedFile {
		const { remoteImages: remote } = this.#sources;
		if (!remote) {
			throw unsupportedValue(
				param,
				`${param}: this server does not fetch pictures. Send the picture itself, as a data URL.`,
			);
		}
		if (url.length > referencedFileLimits.address) {
			throw plinthError('E_STRING_TOO_LONG', {
				param,
				message: `An address has at most ${referencedFileLimits.address} characters, but ${url.length} were sent.`,
			});
		}
		const fetch = (signal: AbortSignal) => loadOnce(this.#remote, url, () => this.#fetch(remote, url, param, signal));
		return { load: (signal) => withParam(param, fetch(signal)) };
	}

	async #copy(id: string, signal: AbortSignal): Promise<UploadedFile> {
		const file = await this.#open(id, signal);
		if (!file) throw unknownFile(id);
		if (file.size > maxFileBytes) throw tooLarge(id, file.size);
		this.#addBytes(file.size);
		const { filename } = file;
		try {
			return await this.#call.keep(file.stream(), { filename, maxBytes: file.size });
		} catch (error) {
			if (!isPlinthError(error) || error.code !== 'E_STORE_UNAVAILABLE') throw error;
			// A file deleted during the read is reported like one deleted before.
			throw (await this.#open(id, signal)) ? error : unknownFile(id, error);
		}
	}

	#open(id: string, signal: AbortSignal): ReturnType<FileSource['open']> {
		const { tenant } = this.#call.principal;
		return orAbort(signal, this.#sources.files?.open(tenant, id) ?? Promise.resolve(null));
	}

	async #fetch(remote: RemoteImages, url: string, param: string, signal: AbortSignal): Promise<UploadedFile> {
		const { principal, keep } = this.#call;
		const file = await remote.fetch(url, param, { principal, signal, keep });
		this.#addBytes(file.size);
		return file;
	}

	#addBytes(size: number): void {
		this.#bytes += size;
		if (this.#bytes <= this.#maxBytes) return;
		throw new ReferencedFileError(
			'file_too_large',
			`the files that the request names have more than ${this.#maxBytes} bytes together.`,
		);
	}
}

function loadOnce(
	loaded: Map<string, Promise<UploadedFile>>,
	name: string,
	load: () => Promise<UploadedFile>,
): Promise<UploadedFile> {
	const file = loaded.get(name) ?? load();
	loaded.set(name, file);
	return file;
}

/** Converts a file error into an error of the parameter. */
async function withParam(param: string, file: Promise<UploadedFile>): Promise<UploadedFile> {
	try {
		return await file;
	} catch (error) {
		if (!(error instanceof ReferencedFileError)) throw error;
		throw invalidValue(param, `${param}: ${error.message}`, error);
	}
}

function unknownFile(id: string, cause?: unknown): ReferencedFileError {
	return new ReferencedFileError(
		'file_not_found',
		`there is no file "${id.slice(0, 100)}": it was never uploaded, or it was deleted or has expired.`,
		cause,
	);
}

function tooLarge(id: string, size: number): ReferencedFileError {
	return new ReferencedFileError(
		'file_too_large',
		`the file "${id.slice(0, 100)}" has ${size} bytes; at most ${maxFileBytes} are accepted here.`,
	);
}
