import type { PlinthError } from '@plinth/core';
import { type Complaint, complaintOf } from './complaint.ts';
import { answerFailure, UpstreamAnswered } from './failure.ts';
import { saidWait } from './retry.ts';

/** An answer that is none. */
export interface RefusedAnswer {
	/** Who answers, for the log. */
	readonly where: string;
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Its beginning. */
	readonly body: string;
	/** Names of the client's parameters that the error may name. */
	readonly params: ReadonlySet<string>;
	/** The server's host, of which clients hear nothing. */
	readonly host: string;
	/** The time, in milliseconds. */
	readonly now: number;
}

/** What such an answer says. */
export interface Refusal {
	readonly complaint: Complaint;
	readonly error: PlinthError;
	/** When to come back, in milliseconds. */
	readonly saidMs: number | undefined;
}

/** Reads an answer that is none. */
export function refusalOf(answer: RefusedAnswer): Refusal {
	const { where, status, headers, body, params, host, now } = answer;
	const complaint = complaintOf(body.replaceAll(host, 'the server'));
	const cause = new UpstreamAnswered(where, status, complaint);
	const saidMs = saidWait(headers, now);
	return { complaint, error: answerFailure(cause, params, saidMs), saidMs };
}
