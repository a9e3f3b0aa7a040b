import { type Signal, signal } from '@preact/signals';
import { type ApiDocument, getJson } from '../../api.ts';
import { key } from '../../state/session.ts';
import { type Offer, offersOf, type PlaygroundModel } from './spec/capabilities.ts';

/** The capabilities of a server, and its API description. */
export interface Offered {
	readonly document: ApiDocument;
	readonly offers: readonly Offer[];
}

/** The last loaded value, shown immediately when the view is opened again. */
export const offered: Signal<Offered | undefined> = signal(undefined);

/** Loads the capabilities of the server. */
export async function loadOffered(signal: AbortSignal): Promise<Offered> {
	const [document, { data }] = await Promise.all([
		getJson<ApiDocument>('/openapi.json', { signal }),
		getJson<{ readonly data: readonly PlaygroundModel[] }>('/v1/models', { signal }),
	]);
	offered.value = { document, offers: offersOf(document, data) };
	return offered.value;
}

key.subscribe((present) => {
	if (present === undefined) offered.value = undefined;
});
