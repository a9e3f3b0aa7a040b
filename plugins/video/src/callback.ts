import { invalidValue, type JobCallback, plinthError } from '@plinth/core';
import type { VideoContext } from './context.ts';

/** Reads whom a request wants told of the end of its job, and has it checked. Throws 400 errors that name the parameter. */
export async function readCallback(
	{ callbacks }: VideoContext,
	{ callback_url: url, callback_secret: secret }: CallbackFields,
): Promise<{ readonly callback?: JobCallback }> {
	if (url === undefined) {
		if (secret === undefined) return {};
		throw invalidValue('callback_secret', 'callback_secret: it signs what goes to callback_url.');
	}
	if (!callbacks) {
		throw plinthError('E_VALUE_UNSUPPORTED', {
			param: 'callback_url',
			message:
				'callback_url: this server tells nobody of the end of jobs. Its operator adds the webhooks plugin for that.',
		});
	}
	const callback = { url, secret: secret ?? null };
	await callbacks.check(callback);
	return { callback };
}

interface CallbackFields {
	readonly callback_url?: string | undefined;
	readonly callback_secret?: string | undefined;
}
