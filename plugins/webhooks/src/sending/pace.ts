/** From how many milliseconds on an answer took long. */
const slowMs = 2_000;
/** Of how many receivers it is remembered that they are slow: the latest. */
const maxReceivers = 10_000;

/**
 * Which receivers took long for their last answer. All callbacks of a tenant count as one: each may name another host.
 */
export class Pace {
	readonly #slow = new Set<string>();

	/** Whether the last answer took long. */
	isSlow(target: PacedTarget): boolean {
		return this.#slow.has(keyOf(target));
	}

	/** Notes how long an answer took. */
	note(target: PacedTarget, ms: number): void {
		const key = keyOf(target);
		this.#slow.delete(key);
		if (ms >= slowMs) this.#slow.add(key);
		const [oldest] = this.#slow;
		if (this.#slow.size > maxReceivers && oldest !== undefined) this.#slow.delete(oldest);
	}
}

/** What of a delivery tells its receiver. */
export interface PacedTarget {
	readonly tenant: string;
	readonly endpointId: string | null;
}

function keyOf({ tenant, endpointId }: PacedTarget): string {
	return endpointId ?? `callbacks of ${tenant}`;
}
