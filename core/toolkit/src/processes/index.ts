/** Killable processes for work on untrusted bytes: `@plinth/core/processes`. It loads nothing else of the kernel. */
export { Crash, OutOfMemory, Refusal, TaskTimeout } from './failures.ts';
export type { ProcessOptions, TaskResponse, TaskRun } from './options.ts';
export { ProcessPool, type ProcessPoolOptions } from './pool.ts';
