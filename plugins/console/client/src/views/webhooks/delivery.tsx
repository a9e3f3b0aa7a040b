import { getJson, postJson, useAttempt, useLoaded } from '../../api.ts';
import { Button, ErrorNote, Facts, LoadedContent, Table, View, When } from '../../components.ts';
import { spanText } from '../../format.ts';
import { linkTo } from '../../state/router.ts';
import { toast } from '../../state/toasts.ts';
import { StatusBadge } from './deliveries.tsx';
import type { Attempt, Delivery } from './webhook.ts';

const everyMs = 2_000;

/** One delivery with its attempts, updated while it is shown. */
export function DeliveryDetail({ id }: { readonly id: string }) {
	const path = `/v1/webhook_deliveries/${encodeURIComponent(id)}`;
	const load = (signal: AbortSignal) => getJson<Delivery>(path, { signal });
	const loaded = useLoaded(load, [path], { everyMs });
	return (
		<View
			title="Delivery"
			lead={<a href={linkTo('webhooks', ['deliveries'])}>All deliveries</a>}
			actions={loaded.value && <Resend path={path} onResent={loaded.reload} />}
		>
			<LoadedContent of={loaded} name="the delivery">
				{(delivery) => (
					<>
						<section class="card" aria-label="Facts">
							<h2>{delivery.event_type}</h2>
							<DeliveryFacts delivery={delivery} />
						</section>
						<section class="stack">
							<h2>Attempts</h2>
							{delivery.attempts.length === 0 ? <p>None yet.</p> : <Attempts attempts={delivery.attempts} />}
						</section>
					</>
				)}
			</LoadedContent>
		</View>
	);
}

function Resend({ path, onResent }: { readonly path: string; readonly onResent: () => void }) {
	const { isBusy, error, attempt } = useAttempt();
	const resend = () =>
		attempt(async () => {
			await postJson<Delivery>(`${path}/resend`, undefined);
			toast('The delivery is pending again.', 'good');
			onResent();
		});
	return (
		<>
			<Button icon="reload" busy={isBusy.value} onClick={resend}>
				Resend
			</Button>
			{error.value && <ErrorNote error={error.value} />}
		</>
	);
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
	const { id, status, url, webhook_endpoint_id: endpoint, job_id: job, next_attempt_at: next } = delivery;
	return (
		<Facts
			facts={{
				State: (
					<span role="status">
						<StatusBadge status={status} />
					</span>
				),
				Address: <code>{url}</code>,
				Endpoint: endpoint === null ? 'Callback of the job' : <code>{endpoint}</code>,
				Job: <a href={linkTo('jobs', [job])}>{job}</a>,
				Id: <code>{id}</code>,
				'Event id': <code>{delivery.event_id}</code>,
				Created: <When at={delivery.created_at} />,
				'Next attempt': next === null ? undefined : <When at={next} />,
			}}
		/>
	);
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
	const rows = attempts.map((attempt, index) => ({ ...attempt, number: index + 1 })).reverse();
	return (
		<Table
			caption="Attempts, the latest first"
			rows={rows}
			keyOf={({ number }) => String(number)}
			columns={[
				{ title: 'Attempt', isHead: true, cell: ({ number }) => number },
				{ title: 'Time', cell: ({ at }) => <When at={at} /> },
				{ title: 'Status', cell: ({ status_code: status }) => status ?? 'no answer' },
				{ title: 'Failure', cell: ({ failure }) => failure ?? '–' },
				{ title: 'Took', align: 'right', cell: ({ duration_ms: ms }) => spanText(ms / 1000) },
			]}
		/>
	);
}
