import { defineRoute, errors, type Route } from '@plinth/core';
import type { FileContext } from '../context.ts';
import { fileErrors } from '../errors.ts';
import { maxFileBytes, uploadBody } from '../fields.ts';
import { checkQuota, usageOf } from '../usage.ts';
import { fileSchema, toFile } from '../wire.ts';

/** Enough for 512 MB at 2.4 Mbit/s; also the server's limit for any request. */
const timeoutMs = 1_800_000;

/** Maximum bytes of the body besides the file. */
const formBytes = 1_048_576;

/**
 * `POST /v1/files`: checks the quota before the body is read, by its content length, and again once the
 * size of the file is known.
 */
export function uploadFile({ store, records, options, clock }: FileContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/files',
		scope: 'files:write',
		summary: 'Upload a file',
		description: 'Other requests can reference the file by its id. Its type is detected from its content.',
		body: uploadBody,
		encoding: 'multipart',
		limits: { file: maxFileBytes, multipart: maxFileBytes + formBytes, files: 1 },
		timeoutMs,
		response: { description: 'The file is stored.', schema: fileSchema },
		errors: [
			errors.E_VALUE_MISSING,
			errors.E_VALUE_INVALID,
			errors.E_VALUE_TYPE,
			errors.E_INTEGER_TOO_LARGE,
			errors.E_INTEGER_TOO_SMALL,
			fileErrors.E_FILE_QUOTA_EXCEEDED,
			errors.E_STORE_FULL,
			errors.E_STORE_UNAVAILABLE,
		],
		async precheck({ principal, bodyBytes = 0 }) {
			const usage = await usageOf(records, principal.tenant, clock.now());
			checkQuota(usage, options, { bytes: Math.max(1, bodyBytes - formBytes), files: 1 });
		},
		async handler({ body }, { principal, signal }) {
			const { file, purpose, expires_after: expiry } = body;
			const newFile = { purpose, lifetimeSeconds: expiry?.seconds };
			return toFile(await store.add(principal.tenant, file, newFile, signal));
		},
	});
}
