import {
	AbortMultipartUploadCommand,
	DeleteObjectCommand,
	DeleteObjectsCommand,
	HeadBucketCommand,
	HeadObjectCommand,
	type HeadObjectCommandOutput,
	ListMultipartUploadsCommand,
	ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import type { Clock } from '@plinth/core';
import { type Clients, createClients } from './clients.ts';
import { isMissing, toStoreError } from './errors.ts';
import type { S3Options } from './options.ts';

/** Deadline of requests that a client waits for, in milliseconds. */
export const clientMs = 1_800;
/** Deadline of other requests, in milliseconds. */
const workMs = 10_000;
/** Maximum number of objects that one request deletes. */
const maxDeletes = 1_000;

/** One bucket, or the part of it below a prefix. Methods reject with errors of the kernel unless they say otherwise. */
export class Bucket {
	readonly clients: Clients;
	readonly #name: string;
	readonly #prefix: string;
	readonly #clock: Clock;

	constructor(options: S3Options, clock: Clock) {
		this.clients = createClients(options);
		this.#name = options.bucket;
		this.#prefix = options.prefix;
		this.#clock = clock;
	}

	/** The object of a key. */
	target(key: string): { readonly Bucket: string; readonly Key: string } {
		return { Bucket: this.#name, Key: `${this.#prefix}${key}` };
	}

	/** Makes a request, which is aborted after `ms` and when the signal aborts. Rejects with errors of the SDK. */
	async call<T>(
		ms: number,
		signal: AbortSignal | undefined,
		request: (options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number }) => Promise<T>,
	): Promise<T> {
		const timeout = new AbortController();
		const cancelTimer = this.#clock.after(ms, () => timeout.abort());
		try {
			const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
			return await request({ abortSignal, requestTimeout: ms });
		} catch (error) {
			throw timeout.signal.aborted ? new DOMException(`No response within ${ms} ms.`, 'TimeoutError') : error;
		} finally {
			cancelTimer();
		}
	}

	/** The metadata of an object by its name; null when there is no such object. */
	async head(Key: string): Promise<HeadObjectCommandOutput | null> {
		const command = new HeadObjectCommand({ Bucket: this.#name, Key });
		try {
			return await this.call(clientMs, undefined, (options) => this.clients.work.send(command, options));
		} catch (error) {
			if (isMissing(error)) return null;
			throw toStoreError(error);
		}
	}

	/** Deletes objects by name, and ignores absent ones. All are tried before a failure rejects. */
	async delete(names: readonly string[]): Promise<void> {
		const failures: unknown[] = [];
		for (let at = 0; at < names.length; at += maxDeletes) {
			await this.#deleteSome(names.slice(at, at + maxDeletes)).catch((error) => failures.push(error));
		}
		if (failures.length > 0) throw toStoreError(failures[0]);
	}

	/** Keys and sizes of the objects whose keys start with `start`. */
	async *list(start: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
		let token: string | undefined;
		do {
			const page = await this.#list(start, token).catch((error: unknown) => Promise.reject(toStoreError(error)));
			for (const { Key = '', Size = 0 } of page.Contents ?? []) {
				yield { key: Key.slice(this.#prefix.length), size: Size };
			}
			token = page.IsTruncated ? page.NextContinuationToken : undefined;
		} while (token);
	}

	/** Removes the parts of uploads that started before an instant. Returns the number of uploads. */
	async abortUploads(before: number): Promise<number> {
		let aborted = 0;
		let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
		try {
			for (;;) {
				const list = new ListMultipartUploadsCommand({ Bucket: this.#name, Prefix: this.#prefix, ...marker });
				const page = await this.call(workMs, undefined, (options) => this.clients.work.send(list, options));
				for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
					if (!Initiated || Initiated.getTime() >= before) continue;
					const abort = new AbortMultipartUploadCommand({ Bucket: this.#name, Key, UploadId });
					await this.call(workMs, undefined, (options) => this.clients.work.send(abort, options));
					aborted += 1;
				}
				if (!page.IsTruncated) return aborted;
				marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
			}
		} catch (error) {
			throw toStoreError(error);
		}
	}

	/** Rejects with an error of the SDK unless the bucket can be listed. */
	async check(): Promise<void> {
		await this.#list('', undefined, 1);
	}

	/** Rejects unless the server responds for the bucket. */
	async ping(): Promise<void> {
		const command = new HeadBucketCommand({ Bucket: this.#name });
		const ping = this.call(clientMs, undefined, (options) => this.clients.work.send(command, options));
		await ping.catch((error) => Promise.reject(toStoreError(error)));
	}

	#list(start: string, ContinuationToken: string | undefined, MaxKeys?: number) {
		const Prefix = `${this.#prefix}${start}`;
		const command = new ListObjectsV2Command({ Bucket: this.#name, Prefix, ContinuationToken, MaxKeys });
		return this.call(workMs, undefined, (options) => this.clients.work.send(command, options));
	}

	async #deleteSome(names: readonly string[]): Promise<void> {
		if (names.length === 1) {
			const command = new DeleteObjectCommand({ Bucket: this.#name, Key: names[0] });
			await this.call(workMs, undefined, (options) => this.clients.work.send(command, options));
			return;
		}
		const Objects = names.map((name) => ({ Key: name }));
		const command = new DeleteObjectsCommand({ Bucket: this.#name, Delete: { Objects, Quiet: true } });
		const { Errors = [] } = await this.call(workMs, undefined, (options) => this.clients.work.send(command, options));
		const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
		if (failed) throw Object.assign(new Error(failed.Message), { name: failed.Code });
	}
}
