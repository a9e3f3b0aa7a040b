import { parentPort } from 'node:worker_threads';
import type { JobMessage, JobOf, JobTable, ReportOf, WorkerMessage } from './pool.ts';

/** What a job may do besides its work. */
export interface JobRun<Report> {
	/** Throws when the job is to stop: called between the steps, some milliseconds apart. */
	check(): void;
	/** Tells the caller something before the answer. */
	report(report: Report): void;
}

/** One function per kind of job. */
export type Handlers<Jobs extends JobTable<Jobs>> = {
	readonly [Kind in keyof Jobs]: (
		job: JobOf<Jobs, Kind>,
		run: JobRun<ReportOf<Jobs, Kind>>,
	) => ReturnType<Jobs[Kind]> | Promise<ReturnType<Jobs[Kind]>>;
};

/** Answers the jobs that a pool sends to this worker thread. */
export function serveJobs<Jobs extends JobTable<Jobs>>(handlers: Handlers<Jobs>): void {
	const port = parentPort;
	if (!port) throw new Error('This file runs as a worker thread only.');
	const send = (message: WorkerMessage): void => port.postMessage(message);
	port.on('message', ({ job, stop }: JobMessage) => {
		const check = (): void => {
			if (Atomics.load(stop, 0) !== 0) throw new Error('The job was stopped.');
		};
		const report = (value: unknown): void => send({ kind: 'report', report: value });
		const work = async (): Promise<unknown> => {
			check();
			const kind = job.kind as keyof Jobs;
			return handlers[kind](job as JobOf<Jobs, typeof kind>, { check, report });
		};
		work().then(
			(answer) => send({ kind: 'answer', answer }),
			(error: unknown) => send({ kind: 'failure', error }),
		);
	});
}
