import { type DisabledReason, failingMs } from './record.ts';
import type { Endpoint, Endpoints } from './store.ts';

/** What an attempt shows about its receiver. */
export interface Sign {
	/** When the attempt ended, in milliseconds since the Unix epoch. */
	readonly at: number;
	readonly isSuccess: boolean;
	/** The receiver answered 410: it wants no more. */
	readonly isGone: boolean;
}

/**
 * Remembers since when an endpoint only fails, and disables it when its receiver is gone or has failed for five days.
 * An endpoint that has been given
 * another address since the attempt is left alone. Resolves with the reason when this has disabled it.
 */
export async function noteHealth(
	endpoints: Endpoints,
	tenant: string,
	endpoint: Endpoint,
	sign: Sign,
): Promise<DisabledReason | undefined> {
	if (sign.isSuccess && endpoint.failingSince === null) return undefined;
	const changed = await endpoints.change(tenant, endpoint.id, (record) => {
		if (record.url !== endpoint.url || record.disabled) return record;
		const { failingSince } = record;
		if (sign.isSuccess) return failingSince === null ? record : { ...record, failingSince: null };
		if (sign.isGone) return { ...record, disabled: { reason: 'gone', at: sign.at } };
		if (failingSince === null) return { ...record, failingSince: sign.at };
		if (sign.at - failingSince < failingMs) return record;
		return { ...record, disabled: { reason: 'failing', at: sign.at } };
	});
	const { disabled = null } = changed ?? {};
	return disabled?.at === sign.at ? disabled.reason : undefined;
}
