import { useSignal } from '@preact/signals';
import { getJson, type Loaded, postJson, useLoaded } from '../../api.ts';
import { ActionDialog, boundTo, ChecksField, ErrorNote, TextField } from '../../components.ts';
import { toast } from '../../state/toasts.ts';
import type { ActionProps } from './endpoint-actions.tsx';
import { changesOf, type Endpoint, type EndpointWithSecret } from './webhook.ts';

const emptyForm = { name: '', url: '', event_types: [] };

/** A dialog that creates or edits an endpoint. */
export function EndpointForm({
	endpoint,
	onChanged,
	onSecret,
	onClose,
}: Pick<ActionProps, 'onChanged' | 'onSecret' | 'onClose'> & {
	/** The endpoint to edit. Absent: a new one is created. */
	readonly endpoint?: Endpoint;
}) {
	const form = useSignal<Pick<Endpoint, 'name' | 'url' | 'event_types'>>(endpoint ?? emptyForm);
	const { value: types = [], error } = useEventTypes();
	const run = async () => {
		const { name, url, event_types } = form.value;
		if (endpoint) {
			onChanged(await postJson<Endpoint>(`/v1/webhook_endpoints/${endpoint.id}`, changesOf(endpoint, form.value)));
			toast('The endpoint was changed.', 'good');
		} else {
			const made = await postJson<EndpointWithSecret>('/v1/webhook_endpoints', { name, url, event_types });
			onChanged(made);
			onSecret(made);
		}
	};
	return (
		<ActionDialog
			title={endpoint ? 'Edit the endpoint' : 'New endpoint'}
			action={endpoint ? 'Save' : 'Create'}
			run={run}
			onClose={onClose}
		>
			<TextField label="Name" param="name" required {...boundTo(form, 'name')} />
			<TextField
				label="Address"
				param="url"
				type="url"
				required
				hint="An https address on the public internet."
				placeholder="https://example.com/webhooks"
				{...boundTo(form, 'url')}
			/>
			{error && <ErrorNote error={error} />}
			<ChecksField
				label="Events"
				param="event_types"
				required
				// An endpoint may have events of a plugin that was removed.
				options={[...new Set([...types, ...form.value.event_types])]}
				{...boundTo(form, 'event_types')}
			/>
		</ActionDialog>
	);
}

/** Loads the types of all events of this server. */
export function useEventTypes(): Loaded<readonly string[]> {
	return useLoaded(async (signal) => {
		const { data } = await getJson<{ readonly data: readonly string[] }>('/v1/webhook_event_types', { signal });
		return data;
	}, []);
}
