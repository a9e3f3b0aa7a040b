import type { RawBody } from '@plinth/core';
// The kernel makes these for plugins alone.
import { scanBody } from '../../../core/kernel/src/http/passthrough/raw-body.ts';

/** A body as the kernel shows it to models: JSON as it is, or a value. */
export function rawBody(body: string | object): RawBody {
	const raw = scanBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
	if (!raw) throw new Error('The kernel would not offer this body.');
	return raw;
}
