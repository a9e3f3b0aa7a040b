import { useSignal } from '@preact/signals';
import { deleteJson, postJson } from '../../api.ts';
import { ActionDialog, bound, CheckField, ErrorNote, SelectField } from '../../components.ts';
import { toast } from '../../state/toasts.ts';
import { EndpointForm, useEventTypes } from './endpoint-form.tsx';
import type { Endpoint, EndpointWithSecret } from './webhook.ts';

/** The properties of a dialog about an endpoint. */
export interface ActionProps {
	readonly endpoint: Endpoint;
	readonly onChanged: (endpoint: Endpoint) => void;
	readonly onDeleted: (id: string) => void;
	readonly onSecret: (endpoint: EndpointWithSecret) => void;
	readonly onClose: () => void;
}

const pathOf = ({ id }: Endpoint) => `/v1/webhook_endpoints/${encodeURIComponent(id)}`;

function Test({ endpoint, onClose }: ActionProps) {
	const { value: types = [], error } = useEventTypes();
	const type = useSignal(endpoint.event_types[0] ?? '');
	const run = async () => {
		const body = { event_type: type.value };
		const { status_code: status } = await postJson<{ status_code: number }>(`${pathOf(endpoint)}/test`, body);
		toast(`The receiver answered ${status}.`, status < 300 ? 'good' : 'bad');
	};
	return (
		<ActionDialog title="Send a test" action="Send" run={run} onClose={onClose}>
			<p>A sample event about a job that does not exist is sent to {endpoint.name} at once.</p>
			{error && <ErrorNote error={error} />}
			<SelectField
				label="Event"
				param="event_type"
				options={[...new Set([...types, ...endpoint.event_types])]}
				{...bound(type)}
			/>
		</ActionDialog>
	);
}

function Rotate({ endpoint, onChanged, onSecret, onClose }: ActionProps) {
	const keepsOld = useSignal(true);
	const run = async () => {
		const body = { keep_old_secret_active_for_24_hours: keepsOld.value };
		const made = await postJson<EndpointWithSecret>(`${pathOf(endpoint)}/rotate_secret`, body);
		onChanged(made);
		onSecret(made);
	};
	return (
		<ActionDialog title="Make a new secret" action="Make it" run={run} onClose={onClose}>
			<CheckField
				label="The old secret stays valid for 24 hours"
				param="keep_old_secret_active_for_24_hours"
				hint="Otherwise it expires immediately."
				{...bound(keepsOld)}
			/>
		</ActionDialog>
	);
}

function Enable({ endpoint, onChanged, onClose }: ActionProps) {
	const run = async () => {
		onChanged(await postJson<Endpoint>(pathOf(endpoint), { status: 'enabled' }));
		toast('The endpoint is enabled.', 'good');
	};
	return (
		<ActionDialog title="Enable this endpoint?" action="Enable" run={run} onClose={onClose}>
			<p>Events are sent to {endpoint.url} again.</p>
		</ActionDialog>
	);
}

function Delete({ endpoint, onDeleted, onClose }: ActionProps) {
	const run = async () => {
		await deleteJson(pathOf(endpoint));
		onDeleted(endpoint.id);
		toast('The endpoint was deleted.', 'good');
	};
	return (
		<ActionDialog title="Delete this endpoint?" action="Delete" isDanger run={run} onClose={onClose}>
			<p>Pending deliveries to {endpoint.name} are cancelled.</p>
		</ActionDialog>
	);
}

/** The dialogs of the actions on an endpoint. */
export const endpointDialogs = { enable: Enable, edit: EndpointForm, test: Test, rotate: Rotate, delete: Delete };
