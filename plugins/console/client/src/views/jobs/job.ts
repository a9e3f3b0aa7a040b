/** Why a job failed. */
export interface JobError {
	readonly code: string;
	readonly message: string;
	readonly param?: string;
}

/** A job as its route and the feed return it. Only videos have all fields. Times are Unix seconds. */
export interface Job {
	readonly id: string;
	readonly object: string;
	readonly model: string;
	readonly status: 'queued' | 'in_progress' | 'completed' | 'failed';
	readonly progress: number;
	readonly progress_percent?: number;
	readonly created_at: number;
	readonly completed_at: number | null;
	readonly expires_at: number | null;
	readonly prompt?: string | null;
	readonly size?: string;
	readonly seconds?: string;
	readonly remixed_from_video_id?: string | null;
	readonly error?: JobError | null;
	/** The error of a job whose plugin defines no response format for its jobs. */
	readonly failure?: JobError | null;
	readonly warnings?: readonly string[];
}

/** A page of jobs. */
export interface JobPage {
	readonly data: readonly Job[];
	readonly last_id: string | null;
	readonly has_more: boolean;
}

/** A job, with the data that only the feed sends. */
export interface Entry {
	readonly job: Job;
	/** Unix seconds; undefined when the job started while this page did not follow it. */
	readonly startedAt?: number | undefined;
	/** The place in the queue; 1 for the next job. */
	readonly position?: number | undefined;
	/** The newest unfinished picture, as a data URL. */
	readonly preview?: string | undefined;
}

/** The filter of the list. */
export interface JobFilter {
	/** A status, or an empty text for all. */
	readonly status: string;
	/** Every word must be in the prompt, the model or the error; or in the id, if it has at least eight characters. */
	readonly text: string;
}

/** The states with their names and tones. */
export const states = {
	queued: { name: 'Queued', tone: 'info' },
	in_progress: { name: 'In progress', tone: 'accent' },
	completed: { name: 'Completed', tone: 'good' },
	failed: { name: 'Failed', tone: 'bad' },
} as const;

/** Whether a job still changes. */
export function isPending({ status }: Job): boolean {
	return status === 'queued' || status === 'in_progress';
}

/** The error of a failed job. */
export function errorOf({ error, failure }: Job): JobError | undefined {
	return error ?? failure ?? undefined;
}

/** The fraction done, from 0 to 1. */
export function fractionOf({ progress, progress_percent: percent }: Job): number {
	return percent === undefined ? Math.min(1, progress) : percent / 100;
}

/** The title of a job: its prompt, or its id. */
export function titleOf({ prompt, id }: Job): string {
	return prompt || id;
}

/** Minimum length of a word that is searched in ids: shorter words are in many ids by chance. */
const minIdWordLength = 8;

/** The predicate of a filter. */
export function matcher({ status, text }: JobFilter): (entry: Entry) => boolean {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	return ({ job }) => {
		if (status && job.status !== status) return false;
		if (words.length === 0) return true;
		const searched = searchedIn(job);
		return words.every((word) => searched.includes(word) || (word.length >= minIdWordLength && job.id.includes(word)));
	};
}

/** A cache, because each keystroke searches all jobs, which may be 10,000. */
const searchedTexts = new WeakMap<Job, string>();

function searchedIn(job: Job): string {
	const known = searchedTexts.get(job);
	if (known !== undefined) return known;
	const error = errorOf(job);
	const text = [job.prompt, job.model, error?.code, error?.message].join('\n').toLowerCase();
	searchedTexts.set(job, text);
	return text;
}

/** Seconds that a job waited, ran, and took in total, if known. */
export function timesOf({ job, startedAt }: Entry): {
	readonly waited: number | undefined;
	readonly ran: number | undefined;
	readonly whole: number | undefined;
} {
	const { created_at: created, completed_at: ended } = job;
	return {
		waited: startedAt === undefined ? undefined : startedAt - created,
		ran: startedAt === undefined || ended === null ? undefined : ended - startedAt,
		whole: ended === null ? undefined : ended - created,
	};
}
