import { randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** How long a replaced secret still signs if the client requests it, in milliseconds. */
export const oldSecretMs = 24 * 60 * 60 * 1000;

/** How many replaced secrets sign beside the new one: each adds a signature to every request. */
export const maxOldSecrets = 3;

/** Makes a secret of 240 random bits: `whsec_` and base64, as in Standard Webhooks. */
export function makeSecret(): string {
	return prefix + randomBytes(30).toString('base64');
}

/** The part of a secret that may be shown later: its last four characters. */
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

/** The header `webhook-signature`: a signature per secret, separated by spaces. The library is loaded on first use. */
export async function signatures(
	secrets: readonly string[],
	message: { readonly id: string; readonly at: number; readonly body: string },
): Promise<string> {
	const { Webhook } = await import('standardwebhooks');
	const date = new Date(message.at);
	return secrets.map((secret) => new Webhook(secret).sign(message.id, date, message.body)).join(' ');
}
