import assert from 'node:assert/strict';

/** Checks that a call rejects with the reason of a signal that has aborted. */
export async function assertAborts(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
	const reason = new Error('The client has disconnected.');
	await assert.rejects(call(AbortSignal.abort(reason)), (error) => error === reason);
}

/**
 * Makes concurrent calls and aborts every other one. Checks that those reject with the reason and that the others
 * resolve. Returns the results of the others.
 */
export async function abortEveryOther<T>(
	count: number,
	call: (n: number, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T[]> {
	const reason = new Error('The client has disconnected.');
	const controller = new AbortController();
	const isAborted = (n: number) => n % 2 === 0;
	const calls = Array.from({ length: count }, (_, n) => call(n, isAborted(n) ? controller.signal : undefined));
	const ends = Promise.allSettled(calls);
	controller.abort(reason);
	return (await ends).flatMap((end, n) => {
		if (!isAborted(n)) return end.status === 'fulfilled' ? [end.value] : assert.fail(`call ${n}: ${end.reason}`);
		assert.equal(end.status === 'rejected' && end.reason, reason);
		return [];
	});
}
