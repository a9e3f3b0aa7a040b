import { useSignal } from '@preact/signals';
import { usePages } from '../../api.ts';
import { Badge, Button, Empty, Facts, LoadedPages, ReloadButton, When } from '../../components.ts';
import { linkTo } from '../../state/router.ts';
import { endpointDialogs } from './endpoint-actions.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Secret } from './secret.tsx';
import { disabledReasons, type Endpoint, type EndpointWithSecret } from './webhook.ts';

type Action = keyof typeof endpointDialogs;

/** The endpoints of the tenant, with actions. */
export function Endpoints() {
	const pages = usePages<Endpoint>('/v1/webhook_endpoints', { limit: 100 });
	const { reload, change } = pages;
	const open = useSignal<'create' | { readonly action: Action; readonly endpoint: Endpoint } | undefined>(undefined);
	const secret = useSignal<EndpointWithSecret | undefined>(undefined);
	const dialog = open.value;
	const shared = {
		onSecret: (endpoint: EndpointWithSecret) => (secret.value = endpoint),
		onClose: () => (open.value = undefined),
	};
	const Chosen = typeof dialog === 'object' ? endpointDialogs[dialog.action] : undefined;
	return (
		<div class="stack">
			<div class="row">
				<Button look="primary" icon="plus" onClick={() => (open.value = 'create')}>
					New endpoint
				</Button>
				<ReloadButton of={pages} />
			</div>
			<LoadedPages
				of={pages}
				noun="endpoints"
				empty={
					<Empty icon="webhooks" title="No endpoints yet">
						An endpoint is a URL that the server calls when a job ends.
					</Empty>
				}
			>
				{(endpoints) =>
					endpoints.map((endpoint) => (
						<Card key={endpoint.id} endpoint={endpoint} onAction={(action) => (open.value = { action, endpoint })} />
					))
				}
			</LoadedPages>
			{dialog === 'create' && <EndpointForm onChanged={reload} {...shared} />}
			{typeof dialog === 'object' && Chosen && (
				<Chosen
					endpoint={dialog.endpoint}
					onChanged={(changed) => change(changed.id, changed)}
					onDeleted={change}
					{...shared}
				/>
			)}
			{secret.value && <Secret endpoint={secret.value} onClose={() => (secret.value = undefined)} />}
		</div>
	);
}

function Card({ endpoint, onAction }: { readonly endpoint: Endpoint; readonly onAction: (action: Action) => void }) {
	const { id, name, url, status, disabled_reason: reason, event_types: types } = endpoint;
	const act = (action: Action) => () => onAction(action);
	return (
		<article class="card webhooks-card stack">
			<header class="split">
				<h2>{name}</h2>
				<Badge tone={status === 'enabled' ? 'good' : 'bad'}>{status === 'enabled' ? 'Enabled' : 'Disabled'}</Badge>
			</header>
			{status === 'disabled' && <p>{reason ? (disabledReasons[reason] ?? reason) : 'The server has disabled it.'}</p>}
			<Facts
				facts={{
					Address: <code>{url}</code>,
					Events: types.join(', '),
					Secret: <code>{endpoint.signing_secret_hint}</code>,
					Created: <When at={endpoint.created_at} />,
					Changed: <When at={endpoint.updated_at} />,
					Disabled: endpoint.disabled_at === null ? undefined : <When at={endpoint.disabled_at} />,
				}}
			/>
			<div class="row">
				{status === 'disabled' && <Button onClick={act('enable')}>Enable</Button>}
				<Button onClick={act('edit')}>Edit</Button>
				<Button onClick={act('test')}>Send a test</Button>
				<Button onClick={act('rotate')}>New secret</Button>
				<a class="button" href={linkTo('webhooks', ['deliveries'], { endpoint: id })}>
					Deliveries
				</a>
				<Button icon="trash" onClick={act('delete')}>
					Delete
				</Button>
			</div>
		</article>
	);
}
