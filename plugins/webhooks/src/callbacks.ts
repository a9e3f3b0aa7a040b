import { invalidValue } from '@plinth/core';
import type { Egress, JobCallbacks } from '@plinth/toolkit';
import { maxUrlLength } from './fields.ts';
import { isSecret } from './secrets.ts';

/** Checks the callbacks that clients name for a job; what passes gets a request when the job ends. */
export function jobCallbacks(egress: Egress): JobCallbacks {
	return {
		async check({ url, secret }) {
			if (url.length > maxUrlLength) {
				const message = `callback_url: expected at most ${maxUrlLength} characters.`;
				throw invalidValue('callback_url', message);
			}
			if (secret !== null && !isSecret(secret)) {
				throw invalidValue('callback_secret', 'callback_secret: expected whsec_ followed by base64 of 24 to 64 bytes.');
			}
			await egress.check(url, 'callback_url');
		},
	};
}
