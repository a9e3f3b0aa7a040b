import { Tabs, View } from '../../components.ts';
import { currentRoute, goTo, linkTo } from '../../state/router.ts';
import { Deliveries } from './deliveries.tsx';
import { DeliveryDetail } from './delivery.tsx';
import { Endpoints } from './endpoints.tsx';

const tabs = [
	{ id: 'endpoints', title: 'Endpoints' },
	{ id: 'deliveries', title: 'Deliveries' },
] as const;

/** Endpoints at `#/webhooks`, deliveries at `#/webhooks/deliveries`, one delivery at `#/webhooks/deliveries/{id}`. */
export function Webhooks() {
	const [tab = 'endpoints', id] = currentRoute.value.rest;
	if (tab === 'deliveries' && id !== undefined) return <DeliveryDetail key={id} id={id} />;
	const chosen = tab === 'deliveries' ? tab : 'endpoints';
	return (
		<View title="Webhooks" lead="Endpoints that get an event when a job ends, and the result of each request.">
			<Tabs
				label="Webhooks"
				tabs={tabs}
				chosen={chosen}
				onChoose={(next) => goTo(linkTo('webhooks', next === 'endpoints' ? [] : [next]))}
			>
				{chosen === 'endpoints' ? <Endpoints /> : <Deliveries />}
			</Tabs>
		</View>
	);
}
