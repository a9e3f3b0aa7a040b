import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Context, Next } from '../context.ts';
import type { RequestSlot } from '../exchange.ts';

/** How much may be under way at once. What exceeds it is refused before its body is read, with a `Retry-After`. */
export interface LoadLimits {
	/** Request bodies being received or processed, in bytes, of all tenants together. Beyond: 503 `server_overloaded`. */
	readonly inFlightBytes: number;
	/** Requests of one tenant, without event streams. Beyond: 429 `rate_limit_exceeded`. */
	readonly requestsPerTenant: number;
	/** Event streams of one tenant. Beyond: 429 `rate_limit_exceeded`. */
	readonly streamsPerTenant: number;
	/** Event streams of all tenants. Beyond: 503 `server_overloaded`. */
	readonly streams: number;
}

/** The limits of a server whose config sets none. */
export const defaultLoad: LoadLimits = {
	inFlightBytes: 1_073_741_824,
	requestsPerTenant: 256,
	streamsPerTenant: 1_000,
	streams: 10_000,
};

/** What a body of unknown length counts for, in bytes. */
const unknownBodyBytes = 8_388_608;

/** What one tenant has under way. */
interface TenantLoad {
	requests: number;
	streams: number;
}

/** The middleware that counts what authenticated callers have under way, and refuses what exceeds the limits. */
export class Admission {
	readonly #limits: LoadLimits;
	readonly #tenants = new Map<string, TenantLoad>();
	#streams = 0;
	#bytes = 0;

	constructor(limits: LoadLimits) {
		this.#limits = limits;
	}

	/** Throws `E_TENANT_BUSY` when the tenant has no slot left. The slot is given back when the request is over. */
	handle({ state: { exchange } }: Context, next: Next): Promise<unknown> {
		if (exchange.principal) exchange.slot = this.#enter(exchange.principal.tenant);
		return next();
	}

	#enter(tenant: string): RequestSlot {
		const load = this.#tenants.get(tenant) ?? { requests: 0, streams: 0 };
		const { requestsPerTenant } = this.#limits;
		if (load.requests >= requestsPerTenant) {
			throw plinthError('E_TENANT_BUSY', {
				message: `This tenant has ${requestsPerTenant} requests under way, as many as the server allows.`,
			});
		}
		load.requests += 1;
		this.#tenants.set(tenant, load);
		let kind: keyof TenantLoad | undefined = 'requests';
		let bytes = 0;
		return {
			reserve: (declared) => {
				const wanted = this.#checkBody(declared, bytes);
				this.#bytes += wanted;
				bytes += wanted;
			},
			stream: () => {
				if (kind !== 'requests') return;
				this.#checkStream(load);
				load.requests -= 1;
				load.streams += 1;
				this.#streams += 1;
				kind = 'streams';
			},
			leave: () => {
				this.#bytes -= bytes;
				bytes = 0;
				if (!kind) return;
				load[kind] -= 1;
				if (kind === 'streams') this.#streams -= 1;
				kind = undefined;
				if (load.requests + load.streams === 0) this.#tenants.delete(tenant);
			},
		};
	}

	/** The bytes that a body counts for, beside the `own` ones of its request. Throws `E_OVERLOADED`. */
	#checkBody(declared: number | undefined, own: number): number {
		// `fetch` and sources of files may declare what is no length.
		const isLength = declared !== undefined && Number.isSafeInteger(declared) && declared >= 0;
		const wanted = isLength ? declared : unknownBodyBytes;
		// A single request may need more than the whole budget: then it waits for nobody.
		if (this.#bytes === own || this.#bytes + wanted <= this.#limits.inFlightBytes) return wanted;
		throw plinthError('E_OVERLOADED', { message: 'The server holds as many request bodies as it may.' });
	}

	#checkStream(load: TenantLoad): void {
		const { streams, streamsPerTenant } = this.#limits;
		if (load.streams >= streamsPerTenant) {
			throw plinthError('E_TENANT_BUSY', {
				message: `This tenant has ${streamsPerTenant} event streams open, as many as the server allows.`,
			});
		}
		if (this.#streams >= streams) {
			throw plinthError('E_OVERLOADED', { message: 'The server has as many event streams open as it may.' });
		}
	}
}
