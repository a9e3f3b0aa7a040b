import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** Named parameters of a statement. */
export type Parameters = Readonly<Record<string, SQLInputValue>>;

/** The parameters of a statement, by name or by position. Positions are faster, for statements that run often. */
export type Values = readonly SQLInputValue[] | readonly [Parameters];

/** How long a connection waits for another one's lock before it reports `SQLITE_BUSY`. */
export const busyTimeoutMs = 10_000;

/** One SQLite connection that prepares every statement once. Rows are arrays, which are faster than objects. */
export class Connection {
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();

	constructor(file: string) {
		this.#database = new DatabaseSync(file, { timeout: busyTimeoutMs });
		// FULL: a commit returns only once it has reached the disk.
		this.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
	}

	/** False once SQLite has rolled the transaction back on its own, as it may after a full disk. */
	get inTransaction(): boolean {
		return this.#database.isTransaction;
	}

	/** How many rows this connection has written so far. Rows of a failed statement are undone and do not count. */
	get changes(): number {
		return this.get<readonly [number]>('SELECT total_changes()')?.[0] ?? 0;
	}

	exec(sql: string): void {
		this.#database.exec(sql);
	}

	/** Returns the number of changed rows. */
	run(sql: string, ...values: Values): number {
		return Number(this.#statement(sql).run(...(values as SQLInputValue[])).changes);
	}

	/** The first row. `Row` is not checked: it must match the columns of the statement. */
	get<Row extends readonly unknown[]>(sql: string, ...values: Values): Row | undefined {
		return this.#statement(sql).get(...(values as SQLInputValue[])) as unknown as Row | undefined;
	}

	/** All rows. `Row` is not checked: it must match the columns of the statement. */
	all<Row extends readonly unknown[]>(sql: string, ...values: Values): Row[] {
		return this.#statement(sql).all(...(values as SQLInputValue[])) as unknown as Row[];
	}

	close(): void {
		this.#database.close();
	}

	#statement(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) {
			statement = this.#database.prepare(sql);
			statement.setReturnArrays(true);
			this.#statements.set(sql, statement);
		}
		return statement;
	}
}
