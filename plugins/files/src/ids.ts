import { randomBytes } from 'node:crypto';

/** How ids look, for OpenAPI. Whoever holds one need not know it. */
export const idForm = {
	pattern: '^file-[0-9a-f]{44}$',
	examples: [`file-${'0'.repeat(44)}`],
};

const form = new RegExp(idForm.pattern);
/** The last millisecond that 12 hexadecimal digits can tell. */
const lastMs = 2 ** 48 - 1;

/**
 * Makes ids that sort by creation, the newest first: `file-`, 12 hexadecimal digits that count down with the milliseconds since the Unix epoch, 32 of
 * randomness. Lists are asked for the newest first, and a record store lists by ascending id alone.
 */
export class FileIds {
	#last = 0;

	/** A new id. Ids of one process fall strictly, also within a millisecond. */
	next(now: number): string {
		this.#last = Math.max(now, this.#last + 1);
		const countdown = (lastMs - this.#last).toString(16).padStart(12, '0');
		return `file-${countdown}${randomBytes(16).toString('hex')}`;
	}
}

/** Tells whether a text has the form of a file's id. It need not exist. */
export function isFileId(text: string): boolean {
	return form.test(text);
}
