/** Sends requests repeatedly, one at a time, until stopped. */
export interface Probe {
	/** Stops, and returns the response times in milliseconds, in ascending order. */
	stop(): Promise<readonly number[]>;
}

/**
 * Measures the response times of a server while a test puts load on it. `stop` rejects when a response was not a 200.
 */
export function probe(url: string): Probe {
	const times: number[] = [];
	let isStopped = false;
	const running = (async () => {
		while (!isStopped) {
			const startedAt = performance.now();
			const response = await fetch(url);
			await response.arrayBuffer();
			times.push(performance.now() - startedAt);
			if (response.status !== 200) throw new Error(`${url} answered ${response.status}.`);
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	})();
	// The error is reported by `stop`, which may be called later.
	running.catch(() => {});
	return {
		async stop() {
			isStopped = true;
			await running;
			return times.toSorted((a, b) => a - b);
		},
	};
}

/** The value below which the given share of the sorted values lies. */
export function percentile(sorted: readonly number[], share: number): number {
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The 99th percentile of times in any order. Of fewer than 100 times it is the maximum. */
export function p99(times: readonly number[]): number {
	return percentile(
		times.toSorted((a, b) => a - b),
		0.99,
	);
}
