import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import {
	type BlobContent,
	type BlobInfo,
	type BlobStore,
	type ByteRange,
	defineBackend,
	type PutBlobOptions,
	plinthError,
	type StoredBlob,
	services,
	untilAborted,
} from '@plinth/core';
import { checkBlobKey } from '@plinth/toolkit';
import { z } from 'zod';

/** Stores blobs in one SQLite file, in the pieces in which they arrive. */
export const sqliteBlobs = defineBackend({
	name: 'sqliteBlobs',
	provides: services.blobs,
	config: z.strictObject({ file: z.string().min(1) }),
	create({ config, onStop }) {
		mkdirSync(dirname(config.file), { recursive: true });
		const db = new DatabaseSync(config.file, { timeout: 5_000 });
		onStop(() => db.close());
		db.exec(schema);
		// A piece without a blob after a day is left over from a crash.
		db.prepare('DELETE FROM pieces WHERE upload < ? AND upload NOT IN (SELECT upload FROM blobs)').run(
			String(Date.now() - 86_400_000),
		);
		return new SqliteBlobs(db);
	},
});

// The trigger deletes the pieces of a blob that is deleted or replaced.
const schema = `
	PRAGMA journal_mode = WAL;
	PRAGMA synchronous = FULL;
	PRAGMA recursive_triggers = ON;
	CREATE TABLE IF NOT EXISTS blobs
		(key TEXT PRIMARY KEY, size INTEGER, contentType TEXT, sha256 TEXT, upload TEXT);
	CREATE TABLE IF NOT EXISTS pieces
		(upload TEXT, start INTEGER, bytes BLOB, PRIMARY KEY (upload, start));
	CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON blobs
		BEGIN DELETE FROM pieces WHERE upload = old.upload; END;
`;

type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

class SqliteBlobs implements BlobStore {
	readonly #db: DatabaseSync;

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	async put(key: string, body: Bytes, options: PutBlobOptions): Promise<StoredBlob> {
		checkBlobKey(key);
		const { contentType, maxBytes = Number.POSITIVE_INFINITY, size: told, signal } = options;
		const upload = `${Date.now()}-${randomUUID()}`;
		const hash = createHash('sha256');
		let size = 0;
		try {
			for await (const bytes of untilAborted(body, signal)) {
				if (size + bytes.length > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
				if (bytes.length === 0) continue;
				this.#run('INSERT INTO pieces VALUES (?, ?, ?)', upload, size, bytes);
				hash.update(bytes);
				size += bytes.length;
			}
			if (told !== undefined && size !== told) throw new Error(`The body has ${size} bytes, not ${told}.`);
			const info = { key, size, contentType, sha256: hash.digest('hex') };
			this.#run('INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?, ?)', ...Object.values(info), upload);
			return info;
		} catch (error) {
			this.#run('DELETE FROM pieces WHERE upload = ?', upload);
			throw error;
		}
	}

	async get(key: string, { range }: { range?: ByteRange } = {}): Promise<BlobContent | null> {
		const found = this.#find(key);
		if (!found) return null;
		const { info, upload } = found;
		const { start, end } = range ?? { start: 0, end: info.size - 1 };
		if (range && !(start >= 0 && start <= end && end < info.size)) {
			throw plinthError('E_RANGE_NOT_SATISFIABLE');
		}
		return { ...info, body: this.#read(upload, start, end) };
	}

	async head(key: string): Promise<BlobInfo | null> {
		return this.#find(key)?.info ?? null;
	}

	async delete(keys: readonly string[]): Promise<void> {
		keys.forEach(checkBlobKey);
		for (const key of keys) this.#run('DELETE FROM blobs WHERE key = ?', key);
	}

	async *list(prefix: string) {
		const border = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
		for (const row of this.#db.prepare('SELECT key, size FROM blobs').all()) {
			const { key, size } = row as { key: string; size: number };
			if (key === prefix || key.startsWith(border)) yield { key, size };
		}
	}

	#find(key: string): { info: BlobInfo; upload: string } | undefined {
		checkBlobKey(key);
		const row = this.#db.prepare('SELECT * FROM blobs WHERE key = ?').get(key);
		if (!row) return undefined;
		const { upload, size, contentType, sha256 } = row as unknown as StoredBlob & { upload: string };
		return { info: { key, size, contentType, etag: sha256 }, upload };
	}

	async *#read(upload: string, start: number, end: number) {
		const piece = this.#db.prepare(
			'SELECT start, bytes FROM pieces WHERE upload = ? AND start <= ? ORDER BY start DESC',
		);
		for (let at = start; at <= end; ) {
			const found = piece.get(upload, at) as { start: number; bytes: Uint8Array } | undefined;
			if (!found) throw new Error('The blob was deleted while it was read.');
			const part = found.bytes.subarray(at - found.start, end + 1 - found.start);
			yield part;
			at += part.length;
		}
	}

	#run(sql: string, ...values: SQLInputValue[]): void {
		this.#db.prepare(sql).run(...values);
	}
}
