import * as threads from '../pool.ts';
import type { VideoJobs } from './jobs.ts';

/** Worker threads that draw and encode. */
export type Pool = threads.Pool<VideoJobs>;

/** Makes a pool of at most `size` workers. `file` is the worker's code. */
export function createPool(size: number, file = threads.workerFile(import.meta.url)): Pool {
	return threads.createPool<VideoJobs>(size, file, 'builtin video model');
}
