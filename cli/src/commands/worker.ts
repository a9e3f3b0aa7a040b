import { version } from '@plinth/core';
import { type Composed, compose } from '../compose.ts';
import { dataPlaces } from '../data-places.ts';
import type { ConfigFlags } from '../find-config.ts';
import { formatSection } from '../format-section.ts';
import { checkHasWork, partsWithJobs } from '../shared.ts';
import { stopOnSignals } from '../signals.ts';

/** Runs the jobs that servers of the same composition accept, until a signal arrives. Does not listen. */
export async function worker(flags: ConfigFlags): Promise<void> {
	// Servers and workers may share one config file.
	const composed = await compose(flags, { role: 'worker' });
	const { app } = composed;
	// This timer keeps the process alive: the timers of the worker do not.
	const keepAlive = setInterval(() => {}, 60_000);
	stopOnSignals(app);
	try {
		checkHasWork(app);
		await app.start();
		process.stdout.write(workerBanner(composed));
	} catch (error) {
		clearInterval(keepAlive);
		await app.stop();
		throw error;
	}
}

/** The banner of a worker; with `url` when it responds to health probes. */
export function workerBanner({ app, file, config }: Composed, url?: string): string {
	return formatSection(`Plinth ${version} worker`, [
		['works on', partsWithJobs(app.tree()).map(({ owner, jobs }) => `${jobs.join(', ')} (${owner})`)],
		['probes', url === undefined ? [] : [`${url}/readyz`]],
		['composed by', [file ?? 'the built-in composition']],
		['data', dataPlaces(app, config)],
	]);
}
