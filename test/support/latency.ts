/** Asks again and again, one request at a time, until it is stopped. */
export interface Probe {
	/** Stops, and tells how long the answers took, in milliseconds, in rising order. */
	stop(): Promise<readonly number[]>;
}

/** Measures how fast a server answers while other things happen to it. Rejects at `stop` when an answer was not a 200. */
export function probe(url: string): Probe {
	const times: number[] = [];
	let isStopped = false;
	const running = (async () => {
		while (!isStopped) {
			const began = performance.now();
			const answer = await fetch(url);
			await answer.arrayBuffer();
			times.push(performance.now() - began);
			if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`);
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	})();
	// It is looked at by `stop`, which may come later than a failure.
	running.catch(() => {});
	return {
		async stop() {
			isStopped = true;
			await running;
			return times.toSorted((a, b) => a - b);
		},
	};
}

/** The value below which a share of the sorted values lies. */
export function percentile(sorted: readonly number[], share: number): number {
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
