import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '@plinth/core';
import { makePrivateDir } from '@plinth/toolkit';
import { z } from 'zod';
import { toReadError, unavailable } from '../errors.ts';
import { Connection, type Values } from './connection.ts';
import { hasCurrentSchema } from './schema.ts';
import type { Commands } from './writer.ts';
import { type InputOf, WriterClient } from './writer-client.ts';

/** The path of the file. Backends with the same file share it. */
export const fileOption = z
	.string()
	.min(1)
	.refine((file) => !file.startsWith(':'), 'Name a file. For a temporary store use @plinth/memory');

/** One file. Writes go to its writer thread. Reads run in the calling thread and see every write that has resolved. */
export class Database {
	readonly file: string;
	readonly writer: WriterClient;
	readonly #reader: Connection;

	private constructor(file: string, writer: WriterClient, reader: Connection) {
		this.file = file;
		this.writer = writer;
		this.#reader = reader;
	}

	static async open(file: string, log: Logger): Promise<Database> {
		const writer = new WriterClient(file, log);
		const currentReader = openCurrentReader(file);
		const opened = writer.open();
		if (currentReader) {
			// Not awaited, because the thread takes 50 ms to start. The first write waits for it, or starts it again.
			opened.catch((err: unknown) => log.error({ err, file }, 'The SQLite writer thread could not open the file.'));
			return new Database(file, writer, currentReader);
		}
		await opened;
		try {
			return new Database(file, writer, openReader(file));
		} catch (error) {
			await writer.close();
			throw toReadError(error, file);
		}
	}

	write<N extends keyof Commands>(name: N, input: InputOf<N>): Promise<ReturnType<Commands[N]>> {
		return this.writer.write(name, input);
	}

	get<Row extends readonly unknown[]>(sql: string, ...values: Values): Row | undefined {
		return this.#read(() => this.#reader.get<Row>(sql, ...values));
	}

	all<Row extends readonly unknown[]>(sql: string, ...values: Values): Row[] {
		return this.#read(() => this.#reader.all<Row>(sql, ...values));
	}

	/**
	 * Checks the whole file (https://www.sqlite.org/pragma.html#pragma_quick_check). Blocks the event loop until the
	 * check ends.
	 */
	async check(): Promise<readonly string[]> {
		const rows = this.all<readonly [string]>('PRAGMA quick_check(20)');
		return rows.flatMap(([text]) => (text === 'ok' ? [] : [`${this.file}: ${text}`]));
	}

	async close(): Promise<void> {
		await this.writer.close();
		this.#reader.close();
	}

	#read<T>(query: () => T): T {
		try {
			return query();
		} catch (error) {
			throw toReadError(error, this.file);
		}
	}
}

/** Opens a reader if the file already has the current schema: it can be read before the writer thread starts. */
function openCurrentReader(file: string): Connection | undefined {
	let reader: Connection | undefined;
	try {
		reader = openReader(file);
		if (hasCurrentSchema(reader)) return reader;
	} catch {
		// The writer thread gets the same error and reports it, or frees space on a full disk.
	}
	reader?.close();
	return undefined;
}

function openReader(file: string): Connection {
	const reader = new Connection(file);
	// A waiting read blocks the event loop, so its timeout is shorter than that of a writer.
	reader.exec('PRAGMA query_only = ON; PRAGMA busy_timeout = 1000');
	return reader;
}

interface Shared {
	readonly database: Promise<Database>;
	users: number;
}

/** A backend's share of a database. */
export interface DatabaseHandle {
	readonly database: Database;
	/** Releases the share. The last release closes the file. */
	close(): Promise<void>;
}

const open = new Map<string, Shared>();

/**
 * Opens a file once per process: backends on one file share one writer thread, even if they write its path
 * differently. Rejects with `E_STORE_UNAVAILABLE`, `E_STORE_FULL` or `E_SQLITE_NEWER`.
 */
export async function openDatabase(path: string, log: Logger): Promise<DatabaseHandle> {
	const file = createPrivateFile(path);
	const shared = open.get(file) ?? { database: Database.open(file, log), users: 0 };
	open.set(file, shared);
	shared.users += 1;
	const releaseShare = (): boolean => {
		shared.users -= 1;
		if (shared.users === 0) open.delete(file);
		return shared.users === 0;
	};
	try {
		const database = await shared.database;
		return {
			database,
			close: async () => {
				if (releaseShare()) await database.close();
			},
		};
	} catch (error) {
		releaseShare();
		throw error;
	}
}

/**
 * Creates the file unless it exists, readable only by its owner. SQLite gives its companion files the same mode.
 * An existing file must not be opened here: when a process closes any descriptor of a file, POSIX drops all locks of
 * the process on that file. Without SQLite's own locks, the next program that opens the database deletes the log of a
 * running server (sqlite.org, "How To Corrupt", §2.2).
 */
function createPrivateFile(path: string): string {
	try {
		makePrivateDir(dirname(path));
		if (!existsSync(path)) createFile(path);
		return realpathSync(path);
	} catch (error) {
		throw unavailable(path, error);
	}
}

/** If several processes create the file at once, one succeeds. None of them has opened it with SQLite yet. */
function createFile(path: string): void {
	try {
		closeSync(openSync(path, 'wx', 0o600));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
}
