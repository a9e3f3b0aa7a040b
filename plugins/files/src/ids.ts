import { randomBytes } from 'node:crypto';

/** The form of ids, for OpenAPI. */
export const idForm = {
	pattern: '^file-[0-9a-f]{44}$',
	examples: [`file-${'0'.repeat(44)}`],
};

const idPattern = new RegExp(idForm.pattern);
/** The largest number of 12 hexadecimal digits. */
const lastMs = 2 ** 48 - 1;

/**
 * Creates ids that sort newest first: `file-`, 12 hexadecimal digits that count down with the milliseconds since the
 * Unix epoch, and 32 random ones. Lists are newest first by default, and a record store lists only by ascending id.
 */
export class FileIds {
	#last = 0;

	/** A new id. Ids of one process strictly decrease, also within a millisecond. */
	next(now: number): string {
		this.#last = Math.max(now, this.#last + 1);
		const countdown = (lastMs - this.#last).toString(16).padStart(12, '0');
		return `file-${countdown}${randomBytes(16).toString('hex')}`;
	}
}

/** Whether a text has the form of a file id. */
export function isFileId(text: string): boolean {
	return idPattern.test(text);
}
