import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

const prefix = 'whsec_';

/** How long a secret that was replaced still signs where that was asked for, in milliseconds. */
export const oldSecretMs = 24 * 60 * 60 * 1000;

/** How many replaced secrets sign beside the new one: each costs every request a signature. */
export const maxOldSecrets = 3;

/** Makes a secret of 240 random bits: `whsec_` and base64, as Standard Webhooks spells it. */
export function makeSecret(): string {
	return prefix + randomBytes(30).toString('base64');
}

/** What of a secret may be shown later: its last four characters. */
export function secretHint(secret: string): string {
	return `${prefix}…${secret.slice(-4)}`;
}

/** Whether a secret is `whsec_` and base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
	if (!text.startsWith(prefix)) return false;
	const encoded = text.slice(prefix.length);
	const bytes = Buffer.from(encoded, 'base64');
	return bytes.toString('base64') === encoded && bytes.length >= 24 && bytes.length <= 64;
}

/** The header `webhook-signature`: one signature for each secret, separated by spaces. */
export function signatures(
	secrets: readonly string[],
	message: { readonly id: string; readonly at: number; readonly body: string },
): string {
	const date = new Date(message.at);
	return secrets.map((secret) => new Webhook(secret).sign(message.id, date, message.body)).join(' ');
}
