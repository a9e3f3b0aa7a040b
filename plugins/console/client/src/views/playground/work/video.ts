import { ApiError, connection, deleteJson, followJobs, getBlob, getJson } from '../../../api.ts';
import { blobOf } from '../../../blob.ts';
import { fractionOf, type Job } from '../../jobs/job.ts';
import type { Run } from '../desk/run.ts';

/** The video of a run. */
export interface VideoResult {
	readonly video: Job;
	/** The place in the queue, if known; 1 for the next job. */
	readonly position?: number | undefined;
	/** The URL of an unfinished picture. */
	readonly preview?: string;
	/** The URL of the video file. */
	readonly clip?: string;
}

/** How often the job is loaded when there is no feed, or when a request failed. */
const everyMs = 1_500;

/** Creates a video job, follows it to its end, and loads the clip. Uses the video of `replaced` if it has one. */
export async function makeVideo(run: Run<VideoResult>, replaced?: Run<VideoResult>): Promise<void> {
	const job = completedJob(replaced) ?? ((await (await run.send()).json()) as Job);
	update(run, job);
	const ended = await follow(run, job.id);
	if (ended.error) throw new ApiError(ended.error.message, ended.error);
	const path = `/v1/videos/${encodeURIComponent(job.id)}/content`;
	change(run, { clip: run.addressOf(await getBlob(path, { signal: run.signal })) });
}

/** Cancels and deletes the job of a run. */
export async function cancelVideo(run: Run<VideoResult>): Promise<void> {
	const id = run.result.value?.video.id;
	// Before the deletion, whose event would otherwise be shown as an error.
	run.stop();
	if (id) await deleteJson(`/v1/videos/${encodeURIComponent(id)}`);
}

/** The job of a run whose video exists, but could not be loaded. */
function completedJob(run?: Run<VideoResult>): Job | undefined {
	const [video, status] = [run?.result.value?.video, run?.error.value?.status ?? 404];
	return video?.status === 'completed' && status !== 404 ? video : undefined;
}

/** Resolves with the job when it has ended. */
function follow(run: Run<VideoResult>, id: string): Promise<Job> {
	return new Promise((resolve, reject) => {
		let hasFailed = false;
		const finish = (done: () => void) => {
			clearInterval(timer);
			unfollow();
			run.signal.removeEventListener('abort', stop);
			done();
		};
		const stop = () => finish(() => reject(run.signal.reason));
		const onJob = (video: Job) => {
			hasFailed = false;
			update(run, video);
			if (video.status === 'completed' || video.status === 'failed') finish(() => resolve(video));
		};
		// Loads changes from before this listener was added, or while the feed was lost.
		const load = () =>
			getJson<Job>(`/v1/videos/${encodeURIComponent(id)}`, { signal: run.signal }).then(onJob, (error) => {
				// The server is unreachable or overloaded: the job continues.
				hasFailed = error instanceof ApiError && (error.status === 0 || error.status >= 500);
				if (!hasFailed) finish(() => reject(error));
			});
		const unfollow = followJobs({
			event({ type, data, position, preview }) {
				if (data.id !== id) return;
				if (type === 'job.deleted') finish(() => reject(new ApiError('The job was deleted.', { code: 'deleted' })));
				else if (preview) showPreview(run, preview);
				else if ('status' in data) onJob(data as unknown as Job);
				if (position !== undefined) change(run, { position });
			},
			reset: load,
		});
		const timer = setInterval(() => (connection.value === 'off' || hasFailed) && load(), everyMs);
		run.signal.addEventListener('abort', stop);
		void load();
	});
}

function showPreview(run: Run<VideoResult>, preview: string): void {
	const before = run.result.value?.preview;
	change(run, { preview: run.addressOf(blobOf(preview)) });
	run.release(before);
}

function update(run: Run<VideoResult>, video: Job): void {
	run.warn(video.warnings);
	const before = run.result.value;
	// A response that is older than the latest event must not move the progress back.
	if (before && fractionOf(before.video) > fractionOf(video) && video.status === 'in_progress') return;
	run.result.value = { ...before, video, position: video.status === 'queued' ? before?.position : undefined };
}

function change(run: Run<VideoResult>, members: Partial<VideoResult>): void {
	if (run.result.value) run.result.value = { ...run.result.value, ...members };
}
