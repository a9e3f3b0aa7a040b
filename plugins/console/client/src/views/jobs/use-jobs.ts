import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { connection, followJobs, getJson } from '../../api.ts';
import type { JobPage } from './job.ts';
import { LiveJobs } from './live-jobs.ts';

/** The maximum page size of the API. */
const pageSize = 100;
/** How often the newest jobs are loaded when there is no feed. */
const pollMs = 5_000;

/** The jobs of the tenant, followed while the view is mounted. */
export function useJobs(): LiveJobs {
	const jobs = useMemo(
		() =>
			new LiveJobs({
				load: (after, signal) => getJson<JobPage>('/v1/videos', { query: { limit: pageSize, after }, signal }),
				schedule: (callback) => void requestAnimationFrame(callback),
			}),
		[],
	);
	useEffect(() => {
		void jobs.refresh();
		const stop = followJobs({
			event: (event) => jobs.event(event),
			reset: () => void jobs.refresh(),
		});
		return () => {
			stop();
			jobs.stop();
		};
	}, [jobs]);
	// A reconnection that missed no event resets nothing, but a request may have failed in between.
	useSignalEffect(() => {
		if (connection.value === 'restored' && jobs.error.peek() !== undefined) void jobs.refresh();
	});
	const hasFeed = connection.value !== 'off';
	useEffect(() => {
		if (hasFeed) return;
		const timer = setInterval(() => document.visibilityState === 'visible' && jobs.loadNewest(), pollMs);
		return () => clearInterval(timer);
	}, [jobs, hasFeed]);
	return jobs;
}
