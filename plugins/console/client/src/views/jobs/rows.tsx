import { Badge, Progress, VirtualRows, When } from '../../components.ts';
import { secondsText } from '../../format.ts';
import { linkTo } from '../../state/router.ts';
import { type Entry, errorOf, fractionOf, isPending, type Job, states, timesOf, titleOf } from './job.ts';

/** The list of jobs. Only the rows near the window are rendered. */
export function JobRows({
	entries,
	onNearEnd,
}: {
	readonly entries: readonly Entry[];
	readonly onNearEnd: () => void;
}) {
	return (
		<div class="jobs-table">
			<VirtualRows
				label="Jobs"
				rows={entries}
				keyOf={({ job }) => job.id}
				render={(entry) => <Row entry={entry} />}
				onNearEnd={onNearEnd}
			/>
		</div>
	);
}

/** The state of a job in a word. */
export function StateBadge({ job: { status } }: { readonly job: Job }) {
	const { name, tone } = states[status] ?? { name: status, tone: 'info' };
	return <Badge tone={tone}>{name}</Badge>;
}

function Row({ entry }: { readonly entry: Entry }) {
	const { job } = entry;
	const { whole } = timesOf(entry);
	return (
		<div class="jobs-cells">
			<span>
				<StateBadge job={job} />
			</span>
			<span class="jobs-title">
				<a href={linkTo('jobs', [job.id])}>{titleOf(job)}</a>
				<span class="hint">{[job.model, job.size, job.seconds && `${job.seconds} s`].filter(Boolean).join(' · ')}</span>
			</span>
			<span class="jobs-state">
				<StateText entry={entry} />
			</span>
			<span>
				<When at={job.created_at} />
			</span>
			<span>{whole === undefined ? '' : `took ${secondsText(whole)}`}</span>
		</div>
	);
}

/** The progress of a job, or its error. */
function StateText({ entry: { job, position } }: { readonly entry: Entry }) {
	const error = errorOf(job);
	if (error) return <span class="error-text">{error.message}</span>;
	if (position !== undefined && job.status === 'queued') return <span>Place {position} in the queue</span>;
	const count = job.warnings?.length;
	if (!isPending(job)) return <span>{count ? `${count} ${count === 1 ? 'warning' : 'warnings'}` : ''}</span>;
	return <Progress value={fractionOf(job)} label={`Progress of ${titleOf(job)}`} />;
}
