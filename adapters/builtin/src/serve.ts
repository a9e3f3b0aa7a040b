import { parentPort } from 'node:worker_threads';
import type { JobMessage, JobOf, JobTable, ReportOf, WorkerMessage } from './pool.ts';

/** What a job may do besides its work. */
export interface JobRun<Report> {
	/** Throws when the job is to stop: called between the steps, some milliseconds apart. */
	check(): void;
	/** Tells the caller something before the answer; `given` is memory that goes with it instead of being copied. */
	report(report: Report, given?: readonly ArrayBuffer[]): void;
	/** Hands memory over with the answer, instead of copying it. */
	give(memory: ArrayBuffer): void;
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
	const send = (message: WorkerMessage, given: readonly ArrayBuffer[] = []): void =>
		port.postMessage(message, [...given]);
	port.on('message', ({ job, stop }: JobMessage) => {
		const check = (): void => {
			if (Atomics.load(stop, 0) !== 0) throw new Error('The job was stopped.');
		};
		const given: ArrayBuffer[] = [];
		const give = (memory: ArrayBuffer): unknown => given.push(memory);
		const report = (value: unknown, own?: readonly ArrayBuffer[]): void => send({ kind: 'report', report: value }, own);
		const work = async (): Promise<unknown> => {
			check();
			const kind = job.kind as keyof Jobs;
			return handlers[kind](job as JobOf<Jobs, typeof kind>, { check, report, give });
		};
		work().then(
			(answer) => send({ kind: 'answer', answer }, given),
			(error: unknown) => send({ kind: 'failure', error }),
		);
	});
}
