/** Why a command failed, as plain data that can be sent between threads. */
export interface Failure {
	readonly kind: 'mismatch' | 'queue-full' | 'full' | 'unavailable' | 'newer' | 'other';
	readonly message: string;
}

/** Result codes of SQLite (https://www.sqlite.org/rescode.html), without their extended parts. */
const full = 13;
const busy = 5;
/** Locked, read-only, I/O error, corrupt, cannot open, not permitted, not a database. */
const unavailable = new Set([busy, 6, 8, 10, 11, 14, 23, 26]);

/** A create that used another request's idempotency key. */
export class IdempotencyMismatch extends Error {
	override readonly name = 'IdempotencyMismatch';
}

/** A create by a tenant that has reached its maximum number of pending jobs. */
export class QueueFull extends Error {
	override readonly name = 'QueueFull';
}

/** Classifies an error that SQLite or a command has thrown. */
export function toFailure(error: unknown): Failure {
	const { name, message } = error instanceof Error ? error : new Error(String(error));
	if (name === 'IdempotencyMismatch') return { kind: 'mismatch', message };
	if (name === 'QueueFull') return { kind: 'queue-full', message };
	if (name === 'NewerSchema') return { kind: 'newer', message };
	const code = resultCode(error);
	if (code === full) return { kind: 'full', message };
	return { kind: unavailable.has(code) ? 'unavailable' : 'other', message };
}

/** True when another connection holds the lock. */
export function isBusy(error: unknown): boolean {
	return resultCode(error) === busy;
}

function resultCode(error: unknown): number {
	return ((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff;
}
