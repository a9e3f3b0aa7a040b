import { randomBytes } from 'node:crypto';

const body = /^[0-9a-f]{44}$/;

/** Makes job ids that sort by creation: `<kind>_`, 12 hex digits of milliseconds, 32 of randomness. */
export class JobIds {
	#last = 0;

	/** A new id. Ids of one process rise strictly, also within a millisecond. */
	next(kind: string, now: number): string {
		this.#last = Math.max(now, this.#last + 1);
		return `${kind}_${this.#last.toString(16).padStart(12, '0')}${randomBytes(16).toString('hex')}`;
	}
}

/** When an id was made, in milliseconds since the Unix epoch; undefined for what is no job id of any kind. */
export function timeOfId(id: string): number | undefined {
	const [, time] = /^[a-z]+_([0-9a-f]{12})[0-9a-f]{32}$/.exec(id) ?? [];
	return time === undefined ? undefined : Number.parseInt(time, 16);
}

/** Tells whether `text` has the form of a job id of this kind. It need not exist. */
export function isJobId(kind: string, text: string): boolean {
	return text.startsWith(`${kind}_`) && body.test(text.slice(kind.length + 1));
}
