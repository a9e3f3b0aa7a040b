import { createHash, randomBytes } from 'node:crypto';
import { version } from '@plinth/core';

/** The common fields of every chunk and of a complete response. */
export interface AnswerHead {
	/** `chatcmpl-…`. */
	readonly id: string;
	/** Seconds since the Unix epoch. */
	readonly created: number;
	readonly model: string;
	/** Equal for responses of the same software. */
	readonly system_fingerprint: string;
}

/** Creates the head of a response. `now` is in milliseconds. */
export function headOf(model: string, now: number): AnswerHead {
	const fingerprint = createHash('sha256').update(`${version} ${model}`).digest('hex');
	return {
		id: `chatcmpl-${randomBytes(15).toString('base64url')}`,
		created: Math.floor(now / 1000),
		model,
		system_fingerprint: `fp_${fingerprint.slice(0, 10)}`,
	};
}
