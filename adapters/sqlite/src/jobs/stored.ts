import type { StoredJob } from '@plinth/core';

/** The members of a stored job in the order of its row; columns have the same names, in snake case. */
const members = [
	...(['id', 'kind', 'tenant', 'principal', 'model', 'status', 'input', 'result', 'error', 'progress'] as const),
	...(['checkpoint', 'attempt', 'maxAttempts', 'fence', 'cancelRequested', 'createdAt', 'startedAt'] as const),
	...(['completedAt', 'expiresAt', 'callback', 'dueAt', 'leaseMs', 'endedBy', 'unofferedSince'] as const),
	...(['contentDueAt', 'recordDueAt', 'removed', 'idempotencyKey', 'fingerprint', 'receivedRetry'] as const),
] satisfies readonly (keyof StoredJob)[];

const json: readonly string[] = ['input', 'result', 'error', 'callback'];
const flags: readonly string[] = ['cancelRequested', 'removed'];

/** The values of a row. */
export type StoredRow = readonly (string | number | null)[];

const columns = members.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The column keeps the length of an ended lease, but a stored job has 0 then. */
const selected = columns.map((name) =>
	name === 'lease_ms' ? `iif(status = 'in_progress' AND removed = 0, lease_ms, 0)` : name,
);

const selectStored = `SELECT ${selected.join(', ')} FROM jobs`;
/** Jobs after an id. */
export const selectStoredPage = `${selectStored} WHERE id > ? ORDER BY id LIMIT 200`;
/** Jobs with the ids of a JSON array. */
export const selectStoredOf = `${selectStored} WHERE id IN (SELECT value FROM json_each(?))`;
/** Parameters: the columns. */
export const insertStored = `INSERT OR IGNORE INTO jobs (${columns.join(', ')})
	VALUES (${columns.map(() => '?').join(', ')})`;

/** The job in a row. */
export function toStored(row: StoredRow): StoredJob {
	const read = (name: string, value: StoredRow[number]) => {
		if (flags.includes(name)) return value === 1;
		return json.includes(name) && value !== null ? JSON.parse(String(value)) : value;
	};
	const entries = members.map((name, index) => [name, read(name, row[index] ?? null)] as const);
	return Object.fromEntries(entries) as unknown as StoredJob;
}

/** The row of a job. */
export function toRow(job: StoredJob): StoredRow {
	return members.map((name) => {
		const value = job[name];
		if (typeof value === 'boolean') return Number(value);
		return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
	});
}
