import { plinthError } from '../../contract/errors/coded-error.ts';
import type { ServerSettings } from '../../contract/server-settings.ts';
import type { Context, Next } from '../context.ts';
import type { RequestSlot } from '../exchange.ts';

/**
 * Limits of the requests in progress. A request beyond a limit is refused before its body is read, with `Retry-After`:
 * 429 `rate_limit_exceeded` for a limit of one tenant, 503 `server_overloaded` for a limit of all tenants together.
 */
export type LoadLimits = Omit<ServerSettings['limits'], 'connections'>;

const unknownBodyBytes = 8_388_608;

interface TenantLoad {
	requests: number;
	streams: number;
}

/** The middleware that counts the requests in progress of authenticated callers and refuses those beyond the limits. */
export class Admission {
	readonly #limits: LoadLimits;
	readonly #tenants = new Map<string, TenantLoad>();
	#streams = 0;
	#bytes = 0;

	constructor(limits: LoadLimits) {
		this.#limits = limits;
	}

	/** Throws `E_TENANT_BUSY` when the tenant has no slot left. The slot is released when the request has ended. */
	handle({ state: { exchange } }: Context, next: Next): Promise<unknown> {
		if (exchange.principal) exchange.slot = this.#enter(exchange.principal.tenant);
		return next();
	}

	#enter(tenant: string): RequestSlot {
		const load = this.#tenants.get(tenant) ?? { requests: 0, streams: 0 };
		const { requestsPerTenant } = this.#limits;
		if (load.requests >= requestsPerTenant) {
			const message = `This tenant has ${requestsPerTenant} requests in progress, as many as the server allows.`;
			throw plinthError('E_TENANT_BUSY', { message });
		}
		load.requests += 1;
		this.#tenants.set(tenant, load);
		let kind: keyof TenantLoad | undefined = 'requests';
		let bytes = 0;
		return {
			reserve: (declared) => {
				const needed = this.#checkBody(declared, bytes);
				this.#bytes += needed;
				bytes += needed;
			},
			countAsStream: () => {
				if (kind !== 'requests') return;
				this.#checkStream(load);
				load.requests -= 1;
				load.streams += 1;
				this.#streams += 1;
				kind = 'streams';
			},
			release: () => {
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

	/** Returns the bytes to count for a body. Its request holds `own` bytes already. Throws `E_OVERLOADED`. */
	#checkBody(declared: number | undefined, own: number): number {
		// A `fetch` request or the source of a file may declare an invalid length.
		const isLength = declared !== undefined && Number.isSafeInteger(declared) && declared >= 0;
		const needed = isLength ? declared : unknownBodyBytes;
		// A single request may exceed the limit if no other request holds bytes.
		if (this.#bytes === own || this.#bytes + needed <= this.#limits.inFlightBytes) return needed;
		throw plinthError('E_OVERLOADED', { message: 'The server holds as many request bodies as it may.' });
	}

	#checkStream(load: TenantLoad): void {
		const { streams, streamsPerTenant } = this.#limits;
		if (load.streams >= streamsPerTenant) {
			const message = `This tenant has ${streamsPerTenant} event streams open, as many as the server allows.`;
			throw plinthError('E_TENANT_BUSY', { message });
		}
		if (this.#streams >= streams) {
			throw plinthError('E_OVERLOADED', { message: 'The server has as many event streams open as it may.' });
		}
	}
}
