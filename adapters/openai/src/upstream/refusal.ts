import type { PlinthError } from '@plinth/core';
import { type Complaint, complaintOf } from './complaint.ts';
import { answerFailure, type Origins, UpstreamAnswered } from './failure.ts';
import { statedWaitMs } from './retry.ts';
import type { Scrub } from './scrub.ts';

/** An answer that is none. */
export interface RefusedAnswer extends Origins {
	/** Who answers, for the log. */
	readonly where: string;
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Its beginning. */
	readonly body: string;
	/** Removes the secrets from a text. */
	readonly scrub: Scrub;
	/** The time, in milliseconds. */
	readonly now: number;
}

/** What such an answer says. */
export interface Refusal {
	readonly complaint: Complaint;
	readonly error: PlinthError;
	/** When to come back, in milliseconds. */
	readonly statedMs: number | undefined;
}

/** Reads an answer that is none. */
export function refusalOf(answer: RefusedAnswer): Refusal {
	const { where, status, headers, body, scrub, now } = answer;
	const complaint = complaintOf(body, scrub);
	const cause = new UpstreamAnswered(where, status, complaint);
	const statedMs = statedWaitMs(headers, now);
	return { complaint, error: answerFailure(cause, answer, statedMs), statedMs };
}
