import type { ThreadTask } from './threads.ts';

/** Creates the default export of a thread's module. Such a module imports relative files and npm packages only. */
export function serveJobs<Job, Result, Report = never>(
	work: (job: Job, report: (report: Report) => void) => Result | Promise<Result>,
): (task: ThreadTask<Job>) => Promise<Result> {
	// Only the caller closes the port. If the port closes earlier, the thread has ended.
	return async ({ job, port }) => {
		return await work(job, (report) => port.postMessage(report));
	};
}
