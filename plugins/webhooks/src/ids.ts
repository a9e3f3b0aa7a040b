import { createHash, randomBytes } from 'node:crypto';

const endpointForm = /^whe_[0-9a-f]{44}$/;
const deliveryForm = /^whd_[0-9a-f]{44}$/;
const latest = 2 ** 48 - 1;

/** The form of endpoint ids, for OpenAPI. */
export const endpointIdForm = { pattern: endpointForm.source, examples: [`whe_${'0'.repeat(44)}`] };

/** The form of delivery ids, for OpenAPI. */
export const deliveryIdForm = { pattern: deliveryForm.source, examples: [`whd_${'0'.repeat(44)}`] };

/** Makes ids of endpoints that sort by creation: `whe_`, 12 hexadecimal digits of milliseconds, 32 of randomness. */
export class EndpointIds {
	#last = 0;

	/** A new id. Ids of one process increase strictly, even within a millisecond. */
	next(now: number): string {
		this.#last = Math.max(now, this.#last + 1);
		return `whe_${hexTime(this.#last)}${randomBytes(16).toString('hex')}`;
	}
}

/** Whether `text` has the form of an endpoint id. The endpoint may not exist. */
export function isEndpointId(text: string): boolean {
	return endpointForm.test(text);
}

/** Whether `text` has the form of a delivery id. The delivery may not exist. */
export function isDeliveryId(text: string): boolean {
	return deliveryForm.test(text);
}

/** The id of an event. It depends only on the job and the type, so it is the same in every process. */
export function eventId(jobId: string, type: string): string {
	return `evt_${digest(jobId, type)}`;
}

/** The id of the delivery of an event to a target. It depends only on these; the newest event sorts first. */
export function deliveryId(eventAt: number, event: string, target: string): string {
	return `whd_${hexTime(latest - eventAt)}${digest(event, target)}`;
}

/** Milliseconds since the Unix epoch as 12 hexadecimal digits, which sort like the numbers. */
export function hexTime(ms: number): string {
	return Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
}

/** The first 32 hexadecimal digits of a SHA-256 digest of the parts. */
export function digest(...parts: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
