import { createHash, randomBytes } from 'node:crypto';
import { version } from '@plinth/core';

/** What every chunk of an answer, or the whole of it, begins with. */
export interface AnswerHead {
	/** `chatcmpl-…`. */
	readonly id: string;
	/** Seconds since the Unix epoch. */
	readonly created: number;
	readonly model: string;
	/** Equal for answers that the same software made. */
	readonly system_fingerprint: string;
}

/** Makes the head of an answer. `now` is in milliseconds. */
export function headOf(model: string, now: number): AnswerHead {
	const fingerprint = createHash('sha256').update(`${version} ${model}`).digest('hex');
	return {
		id: `chatcmpl-${randomBytes(15).toString('base64url')}`,
		created: Math.floor(now / 1000),
		model,
		system_fingerprint: `fp_${fingerprint.slice(0, 10)}`,
	};
}
