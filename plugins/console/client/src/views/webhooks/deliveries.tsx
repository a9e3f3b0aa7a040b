import { usePages } from '../../api.ts';
import { Badge, Empty, LoadedPages, ReloadButton, SelectField, Table, When } from '../../components.ts';
import { currentRoute, goTo, linkTo } from '../../state/router.ts';
import { type Delivery, deliveryStates, type Endpoint, outcomeOf } from './webhook.ts';

/** How often deliveries are loaded again, because the feed has no events of them. */
const everyMs = 3_000;

/** The pending and ended deliveries of one endpoint or of all. */
export function Deliveries() {
	const endpoint = currentRoute.value.query.get('endpoint') ?? '';
	const endpoints = usePages<Endpoint>('/v1/webhook_endpoints', { limit: 100 });
	const query = { limit: 50, webhook_endpoint_id: endpoint || undefined };
	const pages = usePages<Delivery>('/v1/webhook_deliveries', query, { everyMs });
	const names = new Map(endpoints.value?.map(({ id, name }) => [id, name]));
	if (endpoint && !names.has(endpoint)) names.set(endpoint, endpoint);
	return (
		<div class="stack">
			<div class="filter">
				<SelectField
					label="Endpoint"
					value={endpoint}
					options={[['', 'All endpoints and callbacks'], ...names]}
					onInput={(id) => goTo(linkTo('webhooks', ['deliveries'], id ? { endpoint: id } : {}))}
				/>
				<ReloadButton of={pages} />
			</div>
			<LoadedPages
				of={pages}
				noun="deliveries"
				empty={
					<Empty icon="webhooks" title="No deliveries yet">
						They are deleted seven days after their end.
					</Empty>
				}
			>
				{(deliveries) => <List deliveries={deliveries} names={names} />}
			</LoadedPages>
		</div>
	);
}

function List({
	deliveries,
	names,
}: {
	readonly deliveries: readonly Delivery[];
	readonly names: ReadonlyMap<string, string>;
}) {
	const nameOf = ({ webhook_endpoint_id: id, url }: Delivery) => (id === null ? url : (names.get(id) ?? url));
	return (
		<Table
			caption="Deliveries"
			rows={deliveries}
			keyOf={({ id }) => id}
			columns={[
				{ title: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
				{
					title: 'Event',
					isHead: true,
					cell: ({ id, event_type: type }) => <a href={linkTo('webhooks', ['deliveries', id])}>{type}</a>,
				},
				{ title: 'Receiver', cell: nameOf },
				{ title: 'Attempts', align: 'right', cell: ({ attempts }) => attempts.length },
				{ title: 'Last answer', cell: ({ attempts }) => outcomeOf(attempts.at(-1)) },
				{ title: 'Created', cell: ({ created_at: at }) => <When at={at} /> },
			]}
		/>
	);
}

/** The state of a delivery as a badge. */
export function StatusBadge({ status }: Pick<Delivery, 'status'>) {
	const { name, tone } = deliveryStates[status] ?? { name: status, tone: 'info' };
	return <Badge tone={tone}>{name}</Badge>;
}
