import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, followJobs, getJson, useLoaded } from '../../api.ts';
import { Button, ErrorNote, Facts, LoadedContent, Progress, View, Warnings, When } from '../../components.ts';
import { secondsText } from '../../format.ts';
import { linkTo } from '../../state/router.ts';
import { Clip, Preview } from './clip.tsx';
import { DeleteJob } from './delete-job.tsx';
import { type Entry, errorOf, fractionOf, isPending, type Job, timesOf, titleOf } from './job.ts';
import type { LiveJobs } from './live-jobs.ts';
import { StateBadge } from './rows.tsx';
import { RunAgain } from './run-again.tsx';

/** One job, updated live. */
export function Detail({ id, jobs }: { readonly id: string; readonly jobs: LiveJobs }) {
	const load = (signal: AbortSignal) =>
		jobs.loadOne(() => getJson<Job>(`/v1/videos/${encodeURIComponent(id)}`, { signal }));
	const { value, error, reload } = useLoaded(load, [id]);
	// A reset reloads only the loaded pages of the list; this job may be on a later page.
	useEffect(() => followJobs({ event() {}, reset: reload }), [reload]);
	const entry = jobs.entries.value.find(({ job }) => job.id === id);
	// The feed also sends jobs that have no route of their own.
	const shownError = entry && error?.status === 404 ? undefined : error;
	const deleted = value && !entry ? new ApiError('The job was deleted.', { code: 'deleted' }) : undefined;
	return (
		<View
			title="Job"
			lead={<a href={linkTo('jobs')}>All jobs</a>}
			actions={entry?.job.object === 'video' && <Actions job={entry.job} jobs={jobs} />}
		>
			<LoadedContent of={{ value: entry, error: shownError ?? deleted, reload }} name="the job">
				{(shown) => <Body entry={shown} />}
			</LoadedContent>
		</View>
	);
}

function Actions({ job, jobs }: { readonly job: Job; readonly jobs: LiveJobs }) {
	const open = useSignal<'again' | 'delete' | undefined>(undefined);
	const close = () => (open.value = undefined);
	return (
		<>
			<Button icon="reload" onClick={() => (open.value = 'again')}>
				Run again
			</Button>
			<Button icon={isPending(job) ? 'stop' : 'trash'} onClick={() => (open.value = 'delete')}>
				{isPending(job) ? 'Cancel and delete' : 'Delete'}
			</Button>
			{open.value === 'again' && <RunAgain job={job} onClose={close} />}
			{open.value === 'delete' && <DeleteJob job={job} onDeleted={() => jobs.remove(job.id)} onClose={close} />}
		</>
	);
}

function Body({ entry }: { readonly entry: Entry }) {
	const { job, preview, position } = entry;
	const error = errorOf(job);
	return (
		<>
			<section class="card stack" aria-label="State">
				<h2 class="jobs-prompt">{titleOf(job)}</h2>
				<div class="jobs-now">
					<div role="status">
						<StateBadge job={job} />
						{position !== undefined && job.status === 'queued' && <span> Place {position} in the queue</span>}
					</div>
					{isPending(job) && <Progress value={fractionOf(job)} label="Progress of the job" />}
				</div>
				{error && <ErrorNote error={new ApiError(error.message, error)} />}
				<Warnings texts={job.warnings} />
				{isPending(job) && preview && <Preview dataUrl={preview} />}
				{job.object === 'video' && job.status === 'completed' && <Result job={job} />}
			</section>
			<section class="columns wide jobs-facts">
				<Request job={job} />
				<Times entry={entry} />
			</section>
		</>
	);
}

function Result({ job }: { readonly job: Job }) {
	const hasExpired = job.expires_at !== null && job.expires_at * 1000 <= Date.now();
	return hasExpired ? <p class="note">The video has expired. Its record is kept for some time.</p> : <Clip job={job} />;
}

function Request({ job: { id, model, size, seconds, remixed_from_video_id: source } }: { readonly job: Job }) {
	return (
		<div class="card">
			<h2>Request</h2>
			<Facts
				facts={{
					Id: <code>{id}</code>,
					Model: model,
					Size: size,
					Length: seconds && `${seconds} s`,
					'Remix of': source ? <a href={linkTo('jobs', [source])}>{source}</a> : undefined,
				}}
			/>
		</div>
	);
}

function Times({ entry }: { readonly entry: Entry }) {
	const { job, startedAt } = entry;
	const { waited, ran, whole } = timesOf(entry);
	const span = (seconds: number | undefined) => (seconds === undefined ? undefined : secondsText(seconds));
	const noStart = job.status === 'queued' ? 'not yet' : 'before this page followed the job';
	return (
		<div class="card">
			<h2>Times</h2>
			<Facts
				facts={{
					Queued: <When at={job.created_at} />,
					Started: <When at={startedAt} none={noStart} />,
					Ended: <When at={job.completed_at} none="not yet" />,
					'Waited for': span(waited),
					'Ran for': span(ran),
					'Took in all': span(whole),
					Expires: job.expires_at === null ? undefined : <When at={job.expires_at} />,
				}}
			/>
		</div>
	);
}
