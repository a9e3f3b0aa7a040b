import type { ThreadTask } from './threads.ts';

/** Makes the default export of a thread's module. Such a module imports relative files and npm packages only. */
export function serveJobs<Job, Result, Report = never>(
	work: (job: Job, report: (report: Report) => void) => Result | Promise<Result>,
): (task: ThreadTask<Job>) => Promise<Result> {
	// The caller closes the port: if the port closes earlier, the thread has ended.
	return async ({ job, port }) => {
		// The caller learns that the job has a thread.
		port.postMessage(null);
		return await work(job, (report) => port.postMessage(report));
	};
}
