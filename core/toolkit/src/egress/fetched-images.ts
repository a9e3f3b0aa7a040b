import { Readable } from 'node:stream';
import type { UploadedFile } from '@plinth/core';
import { invalidValue, version } from '@plinth/core';
import { PerTenantLimit } from '../limits/per-tenant-limit.ts';
import { Semaphore } from '../limits/semaphore.ts';
import type { FetchingCall, RemoteImages } from '../ports/remote-images.ts';
import { Egress, type EgressOptions } from './egress.ts';
import { ForbiddenTarget } from './guard.ts';

/** Limits of one picture. The time includes redirects and body. */
const pictureLimits = { maxBytes: 20_971_520, timeoutMs: 10_000, redirects: 3 } as const;

/** Limits of one picture, and how many are fetched at the same time: for all tenants, and for one. */
export const fetchLimits = { ...pictureLimits, concurrency: 4, concurrencyPerTenant: 2 } as const;

const headers = {
	accept: 'image/png, image/jpeg, image/webp',
	'user-agent': `Plinth/${version}`,
};

/** Fetches pictures from the public internet, a few at a time: each is in memory until it is written. */
export class FetchedImages implements RemoteImages {
	readonly #egress: Egress;
	readonly #slots = new Semaphore(fetchLimits.concurrency);
	readonly #perTenant = new PerTenantLimit(fetchLimits.concurrencyPerTenant);

	constructor(options: EgressOptions = {}) {
		this.#egress = new Egress(options);
	}

	async fetch(url: string, param: string, call: FetchingCall): Promise<UploadedFile> {
		const { principal, signal } = call;
		const fetched = await this.#perTenant.map(principal.tenant, [url], signal, () =>
			this.#slots.run(() => this.#download(url, param, call), signal),
		);
		return fetched[0] as UploadedFile;
	}

	/** Closes all connections. */
	close(): Promise<void> {
		return this.#egress.close();
	}

	async #download(url: string, param: string, { signal, keep }: FetchingCall): Promise<UploadedFile> {
		const { status, body, isTruncated } = await this.#request(url, param, signal);
		if (status !== 200) throw refusal(param);
		if (isTruncated) {
			throw invalidValue(param, `${param}: there are more than ${pictureLimits.maxBytes} bytes at this address.`);
		}
		return keep(Readable.from([body]), { filename: '', maxBytes: body.byteLength });
	}

	async #request(url: string, param: string, signal: AbortSignal) {
		try {
			return await this.#egress.send({ ...pictureLimits, url, method: 'GET', headers, signal });
		} catch (error) {
			signal.throwIfAborted();
			throw refusal(param, error);
		}
	}
}

/**
 * The error for a picture that cannot be fetched. It must reveal nothing about the server's own network: a forbidden
 * target is named without contacting it, an unknown host name reads like one with a private address, and all other
 * failures have one message.
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
		`${param}: the picture cannot be fetched. Its address must respond within ${pictureLimits.timeoutMs / 1000} ` +
			'seconds with status 200, without authentication.',
	);
}
