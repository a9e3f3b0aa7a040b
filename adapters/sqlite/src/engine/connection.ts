import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** Named parameters of a statement. */
export type Parameters = Readonly<Record<string, SQLInputValue>>;

/** How long a connection waits for another one's lock before it reports `SQLITE_BUSY`. */
export const busyTimeoutMs = 10_000;

/** One SQLite connection that prepares every statement once. */
export class Connection {
	readonly #database: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();
	readonly #listStatements = new Map<string, StatementSync>();

	constructor(file: string) {
		this.#database = new DatabaseSync(file, { timeout: busyTimeoutMs });
		// FULL: a commit has reached the disk before anybody is told of it.
		this.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
	}

	/** False once SQLite has rolled the transaction back on its own, as it may after a full disk. */
	get inTransaction(): boolean {
		return this.#database.isTransaction;
	}

	/** How many rows this connection has written so far; what a failed statement wrote is undone and does not count. */
	get changes(): number {
		return this.getList<readonly [number]>('SELECT total_changes()')?.[0] ?? 0;
	}

	exec(sql: string): void {
		this.#database.exec(sql);
	}

	/** The parameters in their order, for what is written often: names are looked up for each run. */
	runList(sql: string, ...parameters: readonly SQLInputValue[]): void {
		this.#statement(sql).run(...parameters);
	}

	run(sql: string, parameters: Parameters = {}): number {
		return Number(this.#statement(sql).run(parameters).changes);
	}

	/** The first row as `Row`: the caller vouches for the columns. */
	get<Row>(sql: string, parameters: Parameters = {}): Row | undefined {
		return this.#statement(sql).get(parameters) as Row | undefined;
	}

	/**
	 * The columns of the first row in their order, for what is asked often: it takes half the time of a row with
	 * names.
	 */
	getList<List extends readonly unknown[]>(sql: string, ...parameters: readonly SQLInputValue[]): List | undefined {
		let statement = this.#listStatements.get(sql);
		if (!statement) {
			statement = this.#database.prepare(sql);
			statement.setReturnArrays(true);
			this.#listStatements.set(sql, statement);
		}
		return statement.get(...parameters) as unknown as List | undefined;
	}

	/** All rows as `Row`: the caller vouches for the columns. */
	all<Row>(sql: string, parameters: Parameters = {}): Row[] {
		return this.#statement(sql).all(parameters) as Row[];
	}

	close(): void {
		this.#database.close();
	}

	#statement(sql: string): StatementSync {
		const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
		this.#statements.set(sql, statement);
		return statement;
	}
}
