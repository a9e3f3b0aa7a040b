import { availableParallelism } from 'node:os';
import { Threads, threadFile } from '../threads.ts';
import type { RenderedVideo, VideoJob } from './worker.ts';

export type VideoThreads = Threads<VideoJob, RenderedVideo, 'frame'>;

/** Short, because a thread holds 100 MB, and its start takes a small part of the time of a video. */
const idleMs = 500;

/** Creates threads that draw and encode, one video each. */
export function createVideoThreads(threads = Math.min(2, availableParallelism())): VideoThreads {
	return new Threads({ file: threadFile(import.meta.url), threads, idleMs });
}
