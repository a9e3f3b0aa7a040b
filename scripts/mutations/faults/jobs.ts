import type { Fault } from '../fault.ts';

const source = 'core/kernel/src/jobs';
const test = 'core/kernel/test/jobs';
const machine = [`${test}/machine.test.ts`];
const ownership = [`${test}/ownership.test.ts`];
const duty = [`${test}/duty.test.ts`];
const memory = ['adapters/memory/test/memory.test.ts'];

/** Faults of jobs: the state machine, workers, attempts, duties, and the stores. */
export const jobFaults: readonly Fault[] = [
	{
		what: 'bytes are deleted although the outcome of complete is unknown',
		file: `${source}/attempt.ts`,
		find: "if (end === 'lost') await this.#discard();",
		replace: "if (end !== 'completed') await this.#discard();",
		tests: ownership,
	},
	{
		what: 'attachments are deleted although the record may exist',
		file: `${source}/jobs.ts`,
		find: 'if (record === null) await this.#discard(id);',
		replace: 'await this.#discard(id);',
		tests: ownership,
	},
	{
		what: "a lost attempt cancels the new owner's upstream work",
		file: `${source}/attempt.ts`,
		find: "const hasJobEnded = end === 'failed' ||",
		replace: "const hasJobEnded = end !== 'unrecorded' ||",
		tests: ownership,
	},
	{
		what: 'a job runs twice in one process once its lease has lapsed',
		file: `${source}/worker.ts`,
		find: 'const options = { leaseMs, count, ...offer, perTenant, running };',
		replace: 'const options = { leaseMs, count, ...offer, perTenant, running: [] };',
		tests: ownership,
	},
	{
		what: 'an attempt starts after the interrupt',
		file: `${source}/worker.ts`,
		find: 'if (this.#isOpen) this.#run(claim, definition);',
		replace: 'if (claim) this.#run(claim, definition);',
		tests: ownership,
	},
	{
		what: 'jobs of other kinds are found by id',
		file: `${source}/jobs.ts`,
		find: 'if (!job || job.kind !== kind) throw',
		replace: 'if (!job) throw',
		tests: ownership,
	},
	{
		what: 'a heartbeat revives a lapsed lease',
		file: `${source}/lease-heartbeat.ts`,
		find: 'if (this.#isStopped || this.hasLapsed) return;',
		replace: 'if (this.#isStopped) return;',
		tests: ownership,
	},
	{
		what: 'a stop does not wait for the current round',
		file: `${source}/duty.ts`,
		find: 'await current?.finished;',
		replace: '',
		tests: duty,
	},
	{
		what: 'a duty continues when its lease has lapsed',
		file: `${source}/duty.ts`,
		find: 'void lapse.promise.then(() => this.#abort());',
		replace: '',
		tests: duty,
	},
	{
		what: 'progress decreases',
		file: `${source}/state.ts`,
		find: 'Math.max(job.progress, Math.min(update.progress ?? 0, progressCap))',
		replace: 'Math.min(update.progress ?? 0, progressCap)',
		tests: memory,
	},
	{
		what: 'a running job shows 100 per cent',
		file: `${source}/state.ts`,
		find: 'const progressCap = 0.99;',
		replace: 'const progressCap = 1;',
		tests: memory,
	},
	{
		what: 'an old fence completes a job',
		file: `${source}/state.ts`,
		find: ' && job.fence === fence;\n}\n\n/** A repeat',
		replace: ' && job.fence >= fence;\n}\n\n/** A repeat',
		tests: memory,
	},
	{
		what: 'a repeat of complete is refused',
		file: `${source}/state.ts`,
		find: 'return isRepeat ? { state, event: null } : null;',
		replace: 'return null;',
		tests: memory,
	},
	{
		what: 'a job has one attempt more than its limit',
		file: `${source}/state.ts`,
		find: 'job.cancelRequested || job.attempt >= job.maxAttempts;',
		replace: 'job.cancelRequested || job.attempt > job.maxAttempts;',
		tests: memory,
	},
	{
		what: 'an interrupted attempt counts',
		file: `${source}/state.ts`,
		find: 'job: { attempt: state.job.attempt - 1 }',
		replace: 'job: { attempt: state.job.attempt }',
		tests: [...memory, ...machine],
	},
	{
		what: 'a cancelled job waits for its retry',
		file: `${source}/state.ts`,
		find: 'cancelRequested ? 0 : time.now',
		replace: 'time.now',
		tests: memory,
	},
	{
		what: 'bytes of a removed job are swept while its attempt may write',
		file: `${source}/state.ts`,
		find: "job.status === 'in_progress' ? Math.max(now, dueAt ?? now) : now",
		replace: 'now',
		tests: memory,
	},
	{
		what: 'the sweep deletes attachments of a running create',
		file: `${source}/housekeeping.ts`,
		find: ' || time > before',
		replace: '',
		tests: [`${test}/orphans.test.ts`],
	},
	{
		what: 'upstream work goes on when its job is cancelled after a crash of its worker',
		file: `${source}/housekeeping.ts`,
		find: 'await this.#cancelUpstream(item);',
		replace: '',
		tests: [`${test}/machine.test.ts`],
	},
	{
		what: 'synchronous is NORMAL',
		file: 'adapters/sqlite/src/engine/connection.ts',
		find: 'synchronous = FULL',
		replace: 'synchronous = NORMAL',
		tests: ['adapters/sqlite/test/durability.test.ts'],
	},
];
