import type { WireVideo } from './client.ts';
import type { AskedJob } from './webhook-jobs.ts';
import type { Arrival, WebhookReceiver } from './webhook-receiver.ts';

/** A job as a server shows it in the end, and whose it is. */
export type EndedVideo = WireVideo & { readonly tenant: string };

/** What is compared. */
export interface Audited {
	readonly receiver: WebhookReceiver;
	/** The paths of endpoints, `/<tenant>/…`, with the types that each wants. */
	readonly wanted: Readonly<Record<string, readonly string[]>>;
	readonly asked: readonly AskedJob[];
	/** All jobs that there are, each of which has ended. */
	readonly videos: readonly EndedVideo[];
}

/** Where an event came to, and which one: `<path> <type> <job>`. */
export function pairOf({ path, event }: Arrival): string {
	return `${path} ${event.type} ${event.data.id}`;
}

/** What has to arrive: for each job that nobody has deleted, its event at each target that wants it. Whether its 201 arrived does not matter. */
export function expectedPairs({ wanted, asked, videos }: Audited): readonly string[] {
	const callbacks = new Map(asked.map(({ prompt, callback }) => [prompt, callback]));
	const removed = new Set(asked.filter(({ isRemoved }) => isRemoved).map(({ id }) => id));
	return videos
		.filter(({ id }) => !removed.has(id))
		.flatMap(({ id, tenant, status, prompt }) => {
			const type = `video.${status}`;
			const endpoints = Object.entries(wanted)
				.filter(([path, types]) => path.startsWith(`/${tenant}/`) && types.includes(type))
				.map(([path]) => path);
			const callback = callbacks.get(prompt ?? '');
			return [...endpoints, ...(callback ? [callback] : [])].map((path) => `${path} ${type} ${id}`);
		});
}

/** What has to arrive and was not taken yet. */
export function missingPairs(audited: Audited): readonly string[] {
	const { arrivals } = audited.receiver;
	const taken = new Set(arrivals.filter(({ isTaken }) => isTaken).map(pairOf));
	return expectedPairs(audited).filter((pair) => !taken.has(pair));
}

/** Jobs that were acknowledged, deleted by nobody, and are not there. */
export function lostJobs({ asked, videos }: Audited): readonly AskedJob[] {
	const listed = new Set(videos.map(({ id }) => id));
	return asked.filter(({ id, isRemoved }) => id !== undefined && !isRemoved && !listed.has(id));
}

/** Jobs that had more than one event, and events that were told of more than one job. */
export function wrongIds({ receiver }: Pick<Audited, 'receiver'>): readonly string[] {
	const events = new Map<string, string>();
	const ends = new Map<string, string>();
	return receiver.arrivals.flatMap(({ event: { id, type, data } }) => {
		const end = `${type} ${data.id}`;
		const isSame = (events.get(data.id) ?? id) === id && (ends.get(id) ?? end) === end;
		events.set(data.id, id);
		ends.set(id, end);
		return isSame ? [] : [`${id} ${end}`];
	});
}

/** What came to a target that has no business with it: another tenant's job, another job than the callback's, a type that was not asked for. */
export function strangers({ receiver, wanted, asked, videos }: Audited): readonly string[] {
	const byPrompt = new Map(asked.map((job) => [job.prompt, job]));
	const jobs = new Map<string, AskedJob | undefined>();
	for (const { id, prompt } of videos) jobs.set(id, byPrompt.get(prompt ?? ''));
	for (const job of asked) if (job.id !== undefined) jobs.set(job.id, job);
	return receiver.arrivals
		.filter(({ path, event }) => {
			const job = jobs.get(event.data.id);
			const isOwn = job !== undefined && path.startsWith(`/${job.tenant}/`);
			const isWanted = isOwn && (wanted[path]?.includes(event.type) ?? false);
			return !isWanted && job?.callback !== path;
		})
		.map(pairOf);
}
