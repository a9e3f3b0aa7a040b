import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { toApiError } from '../../api.ts';
import { boundTo, Empty, LoadedContent, ReloadButton, SelectField, TextField, View } from '../../components.ts';
import { currentRoute, linkTo } from '../../state/router.ts';
import { Detail } from './detail.tsx';
import { type JobFilter, matcher, states } from './job.ts';
import type { LiveJobs } from './live-jobs.ts';
import { JobRows } from './rows.tsx';
import { useJobs } from './use-jobs.ts';

/** The live list of the tenant’s jobs; at `#/jobs/{id}`, one job. */
export function Jobs() {
	const jobs = useJobs();
	const filter = useSignal<JobFilter>({ status: '', text: '' });
	const [id] = currentRoute.value.rest;
	const scrolled = useRef(0);
	useEffect(() => {
		const saveScroll = () => {
			if (currentRoute.peek().rest.length === 0) scrolled.current = scrollY;
		};
		addEventListener('scroll', saveScroll, { passive: true });
		return () => removeEventListener('scroll', saveScroll);
	}, []);
	// Restores the scroll position of the list when the user comes back from a job.
	useLayoutEffect(() => scrollTo({ top: id === undefined ? scrolled.current : 0, behavior: 'instant' }), [id]);
	return id === undefined ? <List jobs={jobs} filter={filter} /> : <Detail key={id} id={id} jobs={jobs} />;
}

interface ListProps {
	readonly jobs: LiveJobs;
	readonly filter: Signal<JobFilter>;
}

const statusOptions = [
	['', 'All states'] as const,
	...Object.entries(states).map(([status, { name }]) => [status, name] as const),
];

function List({ jobs, filter }: ListProps) {
	const shown = useComputed(() => jobs.entries.value.filter(matcher(filter.value)));
	const loadMore = useCallback(() => void jobs.loadMore(), [jobs]);
	const failure = jobs.error.value;
	const isLoading = jobs.isLoading.value;
	const isEmpty = jobs.entries.value.length === 0;
	const loaded = {
		value: isEmpty && (isLoading || failure !== undefined) ? undefined : shown.value,
		error: failure === undefined ? undefined : toApiError(failure),
		reload: loadMore,
	};
	return (
		<View
			title="Jobs"
			keepsScroll
			lead="All jobs of this key’s tenant, live."
			actions={<ReloadButton of={{ isLoading, reload: () => void jobs.refresh() }} />}
		>
			<search class="filter">
				<TextField
					label="Search"
					type="search"
					placeholder="Words of the prompt, model, id or error"
					{...boundTo(filter, 'text')}
				/>
				<SelectField label="State" options={statusOptions} {...boundTo(filter, 'status')} />
			</search>
			<Count jobs={jobs} filter={filter} shown={shown.value.length} />
			<LoadedContent of={loaded} name="the jobs">
				{(entries) =>
					isEmpty ? (
						<Empty icon="jobs" title="No jobs yet">
							Make a video in the <a href={linkTo('playground')}>playground</a>.
						</Empty>
					) : (
						<JobRows entries={entries} onNearEnd={failure === undefined ? loadMore : () => {}} />
					)
				}
			</LoadedContent>
		</View>
	);
}

/** How many jobs are shown. The API has no search, so a filter loads all pages. */
function Count({ jobs, filter, shown }: ListProps & { readonly shown: number }) {
	const isFiltered = filter.value.status !== '' || filter.value.text.trim() !== '';
	const count = jobs.entries.value.length;
	const hasMore = jobs.hasMore.value;
	const [isLoading, hasFailed] = [jobs.isLoading.value, jobs.error.value !== undefined];
	useEffect(() => {
		if (isFiltered && hasMore && !isLoading && !hasFailed) void jobs.loadAll();
	}, [jobs, isFiltered, hasMore, isLoading, hasFailed]);
	const loaded = `${count.toLocaleString()} ${hasMore ? 'loaded' : count === 1 ? 'job' : 'jobs'}`;
	const searching = hasMore ? ', searching older ones…' : '';
	return (
		<p class="hint jobs-count" role="status">
			{isFiltered ? `${shown.toLocaleString()} of ${loaded}${searching}` : ''}
			{!isFiltered && count > 0 && <span aria-hidden="true">{loaded}</span>}
		</p>
	);
}
