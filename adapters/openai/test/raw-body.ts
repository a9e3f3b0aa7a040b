import type { RawBody } from '@plinth/core';
// The kernel makes these for plugins alone.
import { scanBody } from '../../../core/kernel/src/http/passthrough/raw-body.ts';

/** A raw body as the kernel passes it to models: JSON text, or a value that is serialised. */
export function rawBody(body: string | object): RawBody {
	const raw = scanBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
	if (!raw) throw new Error('The kernel would not offer this body.');
	return raw;
}
