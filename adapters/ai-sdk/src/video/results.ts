import { type Clock, orAbort } from '@plinth/core';
import { Egress, type EgressResponse, ForbiddenTarget } from '@plinth/toolkit';
import { invalidAnswer } from '../failure.ts';
import type { Finished } from './operations.ts';

/** Limits of one request; the maximum repetitions, the milliseconds between them, and the maximum redirects. */
const limits = { method: 'GET', maxBytes: 536_870_912, timeoutMs: 600_000 } as const;
const [maxRepeats, repeatMs, maxRedirects] = [3, 2_000, 3];

/** Fetches files of providers: from public https addresses, and from `origins`, which the config lists. */
export function resultFiles(origins: readonly string[], clock: Clock) {
	const [publicEgress, listedEgress] = [new Egress(), new Egress({ allowHttp: true, isAllowed: () => true })];

	// Redirects are followed here, because each address determines which rules apply.
	const get = async (url: string, signal: AbortSignal, followed = 0): Promise<EgressResponse> => {
		const egress = origins.includes(URL.parse(url)?.origin ?? '') ? listedEgress : publicEgress;
		const answer = await egress.send({ ...limits, url, signal });
		const { status, headers } = answer;
		const next = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', url)?.href : undefined;
		return next && followed < maxRedirects ? get(next, signal, followed + 1) : answer;
	};

	// The video is already paid for, so faults of the connection or the server are retried.
	const fetch = async (url: string, signal: AbortSignal): Promise<Uint8Array> => {
		for (let tries = 0; ; tries++) {
			const answer = await get(url, signal).catch((error: unknown) => ({ error, status: 0 }));
			if (signal.aborted) throw signal.reason;
			if (answer.status === 200 && 'body' in answer && !answer.isTruncated) return answer.body;
			const reason = 'error' in answer ? answer.error : answer.status;
			const isFinal = answer.status > 0 ? answer.status < 500 : reason instanceof ForbiddenTarget;
			if (isFinal || tries === maxRepeats) {
				// The path and the query may contain a signature.
				throw invalidAnswer(`the file at ${URL.parse(url)?.host}`, `cannot be read: ${reason}`);
			}
			await orAbort(signal, new Promise<void>((resolve) => clock.after(repeatMs, resolve)));
		}
	};

	return {
		/** The whole file; undefined when there is none. */
		async read(file: Finished['videos'][number] | undefined, signal: AbortSignal): Promise<Uint8Array | undefined> {
			if (file?.type === 'url') return fetch(file.url, signal);
			if (file?.type === 'binary') return file.data;
			return file?.type === 'base64' ? Buffer.from(file.data, 'base64') : undefined;
		},
		close: () => Promise.all([publicEgress.close(), listedEgress.close()]),
	};
}
