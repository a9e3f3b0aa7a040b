import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Context, Next } from '../context.ts';
import type { RequestSlot } from '../exchange.ts';

/** How much may be under way at once. Everything beyond is refused before its body is read, with a `Retry-After`. */
export interface LoadLimits {
	/** Request bodies being received or worked on, in bytes, of all tenants together. Beyond: 503 `server_overloaded`. */
	readonly inFlightBytes: number;
	/** Requests of one tenant, event streams apart. Beyond: 429 `rate_limit_exceeded`. */
	readonly requestsPerTenant: number;
	/** Event streams of one tenant. Beyond: 429 `rate_limit_exceeded`. */
	readonly streamsPerTenant: number;
	/** Event streams of all tenants. Beyond: 503 `server_overloaded`. */
	readonly streams: number;
}

/** The limits of a server whose config says nothing else. */
export const defaultLoad: LoadLimits = {
	inFlightBytes: 1_073_741_824,
	requestsPerTenant: 256,
	streamsPerTenant: 1_000,
	streams: 10_000,
};

/** What a body of unknown length counts for, in bytes. */
const unknownBodyBytes = 8_388_608;

/** Counts what is under way. Its cost is two lookups in a map for each request. */
export class Admission {
	readonly #limits: LoadLimits;
	readonly #requests = new Tally();
	readonly #streams = new Tally();
	#bytes = 0;

	constructor(limits: LoadLimits) {
		this.#limits = limits;
	}

	/** Counts the request of an authenticated caller until it is over. */
	handle({ state: { exchange } }: Context, next: Next): Promise<unknown> {
		const { principal } = exchange;
		if (principal) exchange.slot = this.enter(principal.tenant);
		return next();
	}

	/** Takes a slot for one request. Throws `E_TENANT_BUSY` when the tenant has no more. */
	enter(tenant: string): RequestSlot {
		const { requestsPerTenant } = this.#limits;
		if (this.#requests.of(tenant) >= requestsPerTenant) {
			throw plinthError('E_TENANT_BUSY', {
				message: `This tenant has ${requestsPerTenant} requests under way, as many as the server allows.`,
			});
		}
		return new TakenSlot(this, tenant);
	}

	/** Counts requests, streams and body bytes of a tenant up or down. */
	count(tenant: string, requests: number, streams: number, bytes: number): void {
		if (requests !== 0) this.#requests.add(tenant, requests);
		if (streams !== 0) this.#streams.add(tenant, streams);
		this.#bytes += bytes;
	}

	/** Throws `E_OVERLOADED` when there is no room for so many bytes beside the `own` ones of the request. */
	refuseBody(wanted: number, own: number): void {
		// A single request may need more than the whole budget: then it waits for nobody.
		if (this.#bytes === own || this.#bytes + wanted <= this.#limits.inFlightBytes) return;
		throw plinthError('E_OVERLOADED', {
			message: 'The server holds as many request bodies as it may.',
		});
	}

	/** Throws `E_TENANT_BUSY` or `E_OVERLOADED` when there is no room for one more stream. */
	refuseStream(tenant: string): void {
		const { streams, streamsPerTenant } = this.#limits;
		if (this.#streams.of(tenant) >= streamsPerTenant) {
			throw plinthError('E_TENANT_BUSY', {
				message: `This tenant has ${streamsPerTenant} event streams open, as many as the server allows.`,
			});
		}
		if (this.#streams.total >= streams) {
			throw plinthError('E_OVERLOADED', {
				message: 'The server has as many event streams open as it may.',
			});
		}
	}
}

class TakenSlot implements RequestSlot {
	readonly #admission: Admission;
	readonly #tenant: string;
	#requests = 1;
	#streams = 0;
	#bytes = 0;

	constructor(admission: Admission, tenant: string) {
		this.#admission = admission;
		this.#tenant = tenant;
		admission.count(tenant, 1, 0, 0);
	}

	reserve(declared: number | undefined): void {
		// What is no length, as `fetch` and sources of files can bring it, would spoil the sum for ever.
		const isLength = declared !== undefined && Number.isSafeInteger(declared) && declared >= 0;
		const wanted = isLength ? declared : unknownBodyBytes;
		this.#admission.refuseBody(wanted, this.#bytes);
		this.#admission.count(this.#tenant, 0, 0, wanted);
		this.#bytes += wanted;
	}

	stream(): void {
		this.#admission.refuseStream(this.#tenant);
		this.#admission.count(this.#tenant, -1, 1, 0);
		this.#requests = 0;
		this.#streams = 1;
	}

	leave(): void {
		this.#admission.count(this.#tenant, -this.#requests, -this.#streams, -this.#bytes);
		this.#requests = 0;
		this.#streams = 0;
		this.#bytes = 0;
	}
}

/** Counts by name; a name with nothing is forgotten. */
class Tally {
	readonly #counts = new Map<string, number>();
	total = 0;

	of(name: string): number {
		return this.#counts.get(name) ?? 0;
	}

	add(name: string, change: number): void {
		this.total += change;
		const count = this.of(name) + change;
		if (count === 0) this.#counts.delete(name);
		else this.#counts.set(name, count);
	}
}
