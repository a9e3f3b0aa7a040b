import type { PlinthError } from '@plinth/core';
import { ErrorResponse, type Origins, responseError } from './failure.ts';
import { parseReportedError, type ReportedError } from './reported-error.ts';
import { statedWaitMs } from './retry.ts';
import type { Scrub } from './scrub.ts';

/** An error response. */
export interface RefusedResponse extends Origins {
	/** Host and path of the server, for the log. */
	readonly where: string;
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** The beginning of the body. */
	readonly body: string;
	/** Removes secrets from a text. */
	readonly scrub: Scrub;
	/** The current time in milliseconds since the Unix epoch. */
	readonly now: number;
}

/** A parsed error response. */
export interface Refusal {
	readonly reported: ReportedError;
	readonly error: PlinthError;
	/** The stated wait before a retry, in milliseconds. */
	readonly statedMs: number | undefined;
}

/** Parses an error response. */
export function refusalOf(answer: RefusedResponse): Refusal {
	const { where, status, headers, body, scrub, now } = answer;
	const reported = parseReportedError(body, scrub);
	const cause = new ErrorResponse(where, status, reported);
	const statedMs = statedWaitMs(headers, now);
	return { reported, error: responseError(cause, answer, statedMs), statedMs };
}
