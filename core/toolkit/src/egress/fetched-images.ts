import type { UploadedFile } from '@plinth/core';
import { invalidValue, version } from '@plinth/core';
import { PerTenantLimit } from '../limits/per-tenant-limit.ts';
import { Semaphore } from '../limits/semaphore.ts';
import type { FetchingCall, RemoteImages } from '../ports/remote-images.ts';
import { Egress, type EgressOptions } from './egress.ts';
import { ForbiddenTarget } from './guard.ts';

/** What one picture may cost: bytes, milliseconds with redirects and body, and redirects. */
const bounds = { maxBytes: 20_971_520, timeoutMs: 10_000, redirects: 3 } as const;

/** The same, and how many pictures are fetched at once: of all tenants, and of one. */
export const fetchLimits = { ...bounds, atOnce: 4, ofTenant: 2 } as const;

const headers = {
	accept: 'image/png, image/jpeg, image/webp',
	'user-agent': `Plinth/${version}`,
};

/** Fetches pictures from the public internet, a few at a time: each lies in memory until it is written. */
export class FetchedImages implements RemoteImages {
	readonly #egress: Egress;
	readonly #places = new Semaphore(fetchLimits.atOnce);
	readonly #turns = new PerTenantLimit(fetchLimits.ofTenant);

	constructor(options: EgressOptions = {}) {
		this.#egress = new Egress(options);
	}

	async fetch(url: string, param: string, call: FetchingCall): Promise<UploadedFile> {
		const { principal, signal } = call;
		const fetched = await this.#turns.map(principal.tenant, [url], signal, () =>
			this.#places.run(() => this.#bring(url, param, call), signal),
		);
		return fetched[0] as UploadedFile;
	}

	/** Closes all connections. */
	close(): Promise<void> {
		return this.#egress.close();
	}

	async #bring(url: string, param: string, { signal, keep }: FetchingCall): Promise<UploadedFile> {
		const { status, body, isCut } = await this.#ask(url, param, signal);
		if (status !== 200) throw refusal(param);
		if (isCut) {
			throw invalidValue(
				param,
				`${param}: there are more than ${bounds.maxBytes} bytes at this address.`,
			);
		}
		return keep(once(body), { filename: '', maxBytes: body.byteLength });
	}

	async #ask(url: string, param: string, signal: AbortSignal) {
		try {
			return await this.#egress.send({ ...bounds, url, method: 'GET', headers, signal });
		} catch (error) {
			signal.throwIfAborted();
			throw refusal(param, error);
		}
	}
}

/**
 * Refused targets are refused by their name alone, before anybody knows what stands there. All that may go wrong behind that reads alike, so that
 * answers do not tell one silence from another; a name that nobody knows reads like one that stands for a private address.
 */
function refusal(param: string, cause?: unknown): Error {
	if (cause instanceof ForbiddenTarget) return invalidValue(param, `${param}: ${cause.message}.`);
	const { code, hostname } = (cause ?? {}) as { code?: unknown; hostname?: unknown };
	if (typeof code === 'string' && /^(?:ENOTFOUND|EAI_\w+|ENODATA)$/.test(code)) {
		const host = typeof hostname === 'string' ? hostname : 'its host';
		return invalidValue(param, `${param}: ${host} has no address in the public internet.`);
	}
	return invalidValue(
		param,
		`${param}: the picture cannot be fetched. Its address must answer within ${bounds.timeoutMs / 1000} seconds, to everybody, with status 200.`,
	);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}
