import { createHash, randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { defineBackend, plinthError, services, untilAborted } from '@plinth/core';
import { checkBlobKey } from '@plinth/toolkit';
import { z } from 'zod';

/** Blobs in one SQLite file, in the pieces in which they come. */
export const sqliteBlobs = defineBackend({
	name: 'sqliteBlobs',
	provides: services.blobs,
	config: z.strictObject({ file: z.string().min(1) }),
	create({ config, onStop }) {
		const db = new DatabaseSync(config.file, { timeout: 5_000 });
		onStop(() => db.close());
		db.exec(schema);
		// Pieces that belong to no blob after a day are what a crash has left.
		db.prepare('DELETE FROM pieces WHERE upload < ? AND upload NOT IN (SELECT upload FROM blobs)').run(
			String(Date.now() - 86_400_000),
		);
		return new SqliteBlobs(db);
	},
});

// With the row of a blob go its pieces, also when another row takes its place.
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

class SqliteBlobs {
	#db;

	constructor(db) {
		this.#db = db;
	}

	async put(key, body, { contentType, maxBytes = Number.POSITIVE_INFINITY, signal }) {
		checkBlobKey(key);
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
			const info = { key, size, contentType, sha256: hash.digest('hex') };
			const row = [...Object.values(info), upload];
			this.#run('INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?, ?)', ...row);
			return info;
		} catch (error) {
			this.#run('DELETE FROM pieces WHERE upload = ?', upload);
			throw error;
		}
	}

	async get(key, { range } = {}) {
		checkBlobKey(key);
		const row = this.#db.prepare('SELECT * FROM blobs WHERE key = ?').get(key);
		if (!row) return null;
		const { upload, ...info } = row;
		const { start, end } = range ?? { start: 0, end: info.size - 1 };
		if (range && !(start >= 0 && start <= end && end < info.size)) {
			throw plinthError('E_RANGE_NOT_SATISFIABLE');
		}
		return { ...info, body: this.#read(upload, start, end) };
	}

	async head(key) {
		const { body, ...info } = (await this.get(key)) ?? {};
		return body ? info : null;
	}

	async delete(key) {
		checkBlobKey(key);
		this.#run('DELETE FROM blobs WHERE key = ?', key);
	}

	async *list(prefix) {
		const border = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
		for (const { key, size } of this.#db.prepare('SELECT key, size FROM blobs').all()) {
			if (key === prefix || key.startsWith(border)) yield { key, size };
		}
	}

	async *#read(upload, start, end) {
		const piece = this.#db.prepare(
			'SELECT start, bytes FROM pieces WHERE upload = ? AND start <= ? ORDER BY start DESC',
		);
		for (let at = start; at <= end; ) {
			const found = piece.get(upload, at);
			if (!found) throw new Error('The blob was deleted while it was read.');
			const part = found.bytes.subarray(at - found.start, end + 1 - found.start);
			yield part;
			at += part.length;
		}
	}

	#run(sql, ...values) {
		this.#db.prepare(sql).run(...values);
	}
}
