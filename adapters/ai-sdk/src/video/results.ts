import { type Clock, orAbort } from '@plinth/core';
import { Egress, type EgressResponse, ForbiddenTarget } from '@plinth/toolkit';
import { invalidAnswer } from '../failure.ts';
import type { Finished } from './operations.ts';

/** Limits of one file, and how often it is asked for again after how many milliseconds. */
const limits = { method: 'GET', maxBytes: 536_870_912, timeoutMs: 600_000 } as const;
const [repeats, repeatMs, mostRedirects] = [3, 2_000, 3];

/** Fetches what providers made: from public https addresses, and from `origins`, which the operator has named. */
export function resultFiles(origins: readonly string[], clock: Clock) {
	const [open, own] = [new Egress(), new Egress({ allowHttp: true, isAllowed: () => true })];

	// Follows redirects here, because each address decides anew what may be reached.
	const get = async (url: string, signal: AbortSignal, followed = 0): Promise<EgressResponse> => {
		const egress = origins.includes(URL.parse(url)?.origin ?? '') ? own : open;
		const answer = await egress.send({ ...limits, url, signal });
		const { status, headers } = answer;
		const next = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', url)?.href : undefined;
		return next && followed < mostRedirects ? get(next, signal, followed + 1) : answer;
	};

	// A video is paid for, so a fault of the connection or the server does not end the attempt at once.
	const fetch = async (url: string, signal: AbortSignal): Promise<Uint8Array> => {
		for (let tries = 0; ; tries++) {
			const answer = await get(url, signal).catch((error: unknown) => ({ error, status: 0 }));
			if (signal.aborted) throw signal.reason;
			if (answer.status === 200 && 'body' in answer && !answer.isTruncated) return answer.body;
			const reason = 'error' in answer ? answer.error : answer.status;
			const isFinal = answer.status > 0 ? answer.status < 500 : reason instanceof ForbiddenTarget;
			if (isFinal || tries === repeats) {
				// The path and the query may hold a signature.
				throw invalidAnswer(`the file at ${URL.parse(url)?.host}`, `cannot be read: ${reason}`);
			}
			await orAbort(signal, new Promise<void>((resolve) => clock.after(repeatMs, resolve)));
		}
	};

	return {
		/** A whole file; undefined for one that is not there. */
		async read(file: Finished['videos'][number] | undefined, signal: AbortSignal): Promise<Uint8Array | undefined> {
			if (file?.type === 'url') return fetch(file.url, signal);
			if (file?.type === 'binary') return file.data;
			return file?.type === 'base64' ? Buffer.from(file.data, 'base64') : undefined;
		},
		close: () => Promise.all([open.close(), own.close()]),
	};
}
