import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '@plinth/core';
import { makePrivateDir } from '@plinth/toolkit';
import { z } from 'zod';
import { toReadError, unavailable } from '../errors.ts';
import { Connection, type Values } from './connection.ts';
import { hasPresentSchema } from './schema.ts';
import type { Commands } from './writer.ts';
import { type InputOf, WriterClient } from './writer-client.ts';

/** Where the file is. Backends that name the same file share it. */
export const fileOption = z
	.string()
	.min(1)
	.refine((file) => !file.startsWith(':'), 'Name a file. For a throw-away store take @plinth/memory');

/** One file: writes go to its writer thread, reads happen here and see every write that was answered. */
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
		const present = presentReader(file);
		const opened = writer.open();
		if (present) {
			// The thread takes 50 ms to start. The first write waits for it, or starts another and rejects with the reason.
			opened.catch((err: unknown) => log.error({ err, file }, 'The SQLite writer thread could not open the file.'));
			return new Database(file, writer, present);
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
	 * Looks through the whole file (https://www.sqlite.org/pragma.html#pragma_quick_check), and holds up the event
	 * loop meanwhile.
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

/** A reader of a file that the writer thread need not change before it is read. */
function presentReader(file: string): Connection | undefined {
	let reader: Connection | undefined;
	try {
		reader = openReader(file);
		if (hasPresentSchema(reader)) return reader;
	} catch {
		// The writer thread finds the same and reports it, or frees room on a full disk.
	}
	reader?.close();
	return undefined;
}

function openReader(file: string): Connection {
	const reader = new Connection(file);
	// A read that waits holds up the event loop, so it does not wait as long as a writer may.
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
	/** Gives the share back; the last one closes the file. */
	close(): Promise<void>;
}

const open = new Map<string, Shared>();

/**
 * Opens a file, or joins those in this process that have it open: backends on one file share one writer thread,
 * however they spell its path. Rejects with `E_STORE_UNAVAILABLE`, `E_STORE_FULL` or `E_SQLITE_NEWER`.
 */
export async function openDatabase(path: string, log: Logger): Promise<DatabaseHandle> {
	const file = createPrivateFile(path);
	const shared = open.get(file) ?? { database: Database.open(file, log), users: 0 };
	open.set(file, shared);
	shared.users += 1;
	const leave = (): boolean => {
		shared.users -= 1;
		if (shared.users === 0) open.delete(file);
		return shared.users === 0;
	};
	try {
		const database = await shared.database;
		return {
			database,
			close: async () => {
				if (leave()) await database.close();
			},
		};
	} catch (error) {
		leave();
		throw error;
	}
}

/**
 * Makes sure that the file exists and that only its owner reads it; SQLite gives its companion files the same mode.
 * A file that is there must not be opened: POSIX drops all locks that a process has on a file when it closes any
 * descriptor of it, and without SQLite's own locks the next program that looks into the database deletes the log of
 * a running server (sqlite.org, "How To Corrupt", §2.2).
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

/** Of several that make the file at once one succeeds, and none of them has SQLite on it yet. */
function createFile(path: string): void {
	try {
		closeSync(openSync(path, 'wx', 0o600));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
}
