/** Processes that can be killed, for work on untrusted bytes: `@plinth/toolkit/processes`. */
export { Crash, OutOfMemory, Refusal, TaskTimeout } from './failures.ts';
export type { ProcessOptions, TaskResponse, TaskRun } from './options.ts';
export { ProcessPool, type ProcessPoolOptions } from './pool.ts';
