import type { RawBody } from '@plinth/core';
// The kernel makes these for plugins alone.
import { scanBody } from '../../../core/kernel/src/http/bodies/raw-body.ts';

/** A body as the kernel shows it to models: JSON as it is, or a value. */
export function rawBody(body: string | object): RawBody {
	const raw = scanBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
	if (!raw) throw new Error('The kernel would not offer this body.');
	return raw;
}

/** The same with so much text in it that the kernel does not parse it. */
export function longBody(body: { readonly messages: readonly object[] }): RawBody {
	const long = { role: 'user', content: 'x'.repeat(300_000) };
	const raw = rawBody({ ...body, messages: [...body.messages, long] });
	if (raw.value) throw new Error('The kernel has parsed this body.');
	return raw;
}
