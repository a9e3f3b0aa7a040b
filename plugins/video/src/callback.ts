import { invalidValue, type JobCallback, plinthError } from '@plinth/core';
import type { VideoContext } from './context.ts';

/** Checks the callback fields of a request that has one of them. Throws 400 errors that name the parameter. */
export async function readCallback(
	{ callbacks }: VideoContext,
	{ callback_url: url, callback_secret: secret }: CallbackFields,
): Promise<JobCallback> {
	if (url === undefined) {
		throw invalidValue('callback_secret', 'callback_secret: it needs a callback_url, whose requests it signs.');
	}
	if (!callbacks) {
		throw plinthError('E_VALUE_UNSUPPORTED', {
			param: 'callback_url',
			message: 'callback_url: this server sends no callbacks. Its operator can add the webhooks plugin.',
		});
	}
	const callback = { url, secret: secret ?? null };
	await callbacks.check(callback);
	return callback;
}

interface CallbackFields {
	readonly callback_url?: string | undefined;
	readonly callback_secret?: string | undefined;
}
