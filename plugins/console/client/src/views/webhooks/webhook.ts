/** An endpoint as the API returns it. Times are Unix seconds. */
export interface Endpoint {
	readonly id: string;
	readonly name: string;
	readonly url: string;
	readonly event_types: readonly string[];
	readonly created_at: number;
	readonly updated_at: number;
	readonly signing_secret_hint: string;
	readonly status: 'enabled' | 'disabled';
	readonly disabled_reason: 'gone' | 'failing' | null;
	readonly disabled_at: number | null;
}

/** An endpoint with its secret, which the API returns only once. */
export interface EndpointWithSecret extends Endpoint {
	readonly signing_secret: string;
}

/** One request to a receiver. */
export interface Attempt {
	readonly at: number;
	readonly status_code: number | null;
	readonly failure: string | null;
	readonly duration_ms: number;
}

/** An event for one receiver, and the attempts to send it. */
export interface Delivery {
	readonly id: string;
	/** Null for the callback of a job. */
	readonly webhook_endpoint_id: string | null;
	readonly url: string;
	readonly event_id: string;
	readonly event_type: string;
	readonly job_id: string;
	readonly status: 'pending' | 'delivered' | 'failed' | 'cancelled';
	readonly created_at: number;
	readonly next_attempt_at: number | null;
	readonly attempts: readonly Attempt[];
}

/** The states of deliveries with their names and tones. */
export const deliveryStates = {
	pending: { name: 'Pending', tone: 'accent' },
	delivered: { name: 'Delivered', tone: 'good' },
	failed: { name: 'Failed', tone: 'bad' },
	cancelled: { name: 'Cancelled', tone: 'info' },
} as const;

/** Why the server has disabled an endpoint. */
export const disabledReasons = {
	gone: 'The receiver answered 410.',
	failing: 'The receiver failed for five days.',
} as const;

/** The outcome of an attempt: its status, such as `204`, or its failure. */
export function outcomeOf(attempt?: Attempt): string {
	return attempt?.failure ?? String(attempt?.status_code ?? '–');
}

/** The body of `POST /v1/webhook_endpoints/{id}`: the values of a form that differ from the endpoint. */
export function changesOf(
	endpoint: Pick<Endpoint, 'name' | 'url' | 'event_types'>,
	form: Pick<Endpoint, 'name' | 'url' | 'event_types'>,
): Partial<Pick<Endpoint, 'name' | 'url' | 'event_types'>> {
	const sameTypes = endpoint.event_types.toSorted().join() === form.event_types.toSorted().join();
	return {
		...(form.name === endpoint.name ? {} : { name: form.name }),
		// A new URL enables a disabled endpoint, so an unchanged one is not sent.
		...(form.url === endpoint.url ? {} : { url: form.url }),
		...(sameTypes ? {} : { event_types: form.event_types }),
	};
}
