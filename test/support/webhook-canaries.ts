import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@plinth/testing';
import { expect } from 'vitest';

interface ResponseText {
	readonly status: number;
	readonly body: string;
}

/** Sends requests. */
interface Senders {
	send(path: string, init?: RequestInit): Promise<ResponseText>;
	post(path: string, body: unknown): Promise<ResponseText>;
}

/** The data that {@link sendWebhookCanaries} has collected. */
export interface WebhookCanaries {
	/** The signing secrets of endpoints, the replaced one included, and of a callback. */
	readonly secrets: readonly string[];
	/** The bodies of all responses, except those that return a new secret. */
	readonly responses: string;
}

const endpoints = '/v1/webhook_endpoints';
const callbackSecret = `whsec_${Buffer.alloc(30, 'secret of a callback').toString('base64')}`;

/**
 * Creates endpoints and callbacks with canaries in every field, with valid and invalid requests. Deliveries go to a
 * receiver that fails. Private addresses must be allowed.
 */
export async function sendWebhookCanaries({ send, post }: Senders): Promise<WebhookCanaries> {
	const responses: string[] = [];
	const collect = async (response: Promise<ResponseText>) => {
		responses.push((await response).body);
		return JSON.parse((await response).body);
	};
	let received = 0;
	const receiver = createServer((req, res) => {
		received++;
		req.resume().on('end', () => res.writeHead(500).end('canary-answer of a receiver'));
	});
	receiver.listen(0, '127.0.0.1');
	await once(receiver, 'listening');
	const { port } = receiver.address() as AddressInfo;
	try {
		const url = `http://127.0.0.1:${port}/canary-path?token=canary-token`;
		const fields = { name: 'canary-name', url, event_types: ['video.failed'] };
		const created = JSON.parse((await post(endpoints, fields)).body);
		const path = `${endpoints}/${created.id}`;
		const rotated = await post(`${path}/rotate_secret`, {
			keep_old_secret_active_for_24_hours: true,
		});
		for (const invalid of [
			{ url: 'canary-url' },
			{ url: `https://canary-user:canary-password@127.0.0.1:${port}/` },
			{ name: 'canary'.repeat(100) },
			{ event_types: ['canary-type'] },
		]) {
			await collect(post(endpoints, { ...fields, ...invalid }));
			await collect(post(path, invalid));
		}
		await collect(post(`${path}/test`, { event_type: 'video.failed' }));
		await collect(post(`${path}/test`, { event_type: 'canary-type' }));
		const video = { model: 'leaky-video', prompt: 'canary-prompt', callback_url: url };
		await collect(post('/v1/videos', { ...video, callback_secret: 'canary-secret' }));
		await collect(post('/v1/videos', { ...video, callback_url: 'canary-url' }));
		const { id } = await collect(post('/v1/videos', { ...video, callback_secret: callbackSecret }));
		// The test delivery, two attempts for the endpoint and two for the callback.
		await eventually('all deliveries are attempted', () => received >= 5);
		await eventually('all deliveries have failed', async () => {
			const { data } = await collect(send('/v1/webhook_deliveries'));
			return data.length === 2 && data.every((each: { status: string }) => each.status === 'failed');
		});
		await collect(send(`/v1/videos/${id}`));
		await collect(send(endpoints));
		await collect(send(path));
		await collect(post(path, { name: 'another canary-name' }));
		const secrets = [created.signing_secret, JSON.parse(rotated.body).signing_secret, callbackSecret];
		expect(secrets.map((secret) => secret.slice(0, 6))).toEqual(secrets.map(() => 'whsec_'));
		return { secrets, responses: responses.join('\n') };
	} finally {
		receiver.close();
	}
}

/** Stores files with canaries in their names and contents, and requests some that do not exist. */
export async function sendFileCanaries({ send, post }: Senders): Promise<void> {
	const form = (fields: Readonly<Record<string, string>>, content: string) => {
		const body = new FormData();
		for (const [name, value] of Object.entries(fields)) body.set(name, value);
		body.set('file', new File([content], 'canary-file-name.txt'));
		return { method: 'POST', body };
	};
	const created = await send('/v1/files', form({ purpose: 'user_data' }, 'canary-file-content'));
	const { id } = JSON.parse(created.body);
	await send('/v1/files', form({ purpose: 'nothing' }, 'canary-file-content'));
	await send('/v1/files', form({ purpose: 'user_data' }, ''));
	await send('/v1/files?after=canary-query');
	await send('/v1/files/canary-id');
	await send(`/v1/files/${id}/content`, { headers: { range: 'bytes=999999-' } });
	await post('/api/attachments/parse', { files: [{ file_id: id }], pages: 'canary-pages' });
	await post('/v1/images/edits', { model: 'leaky-image', prompt: 'x', image: { file_id: id } });
	await send('/v1/events?kind=canary-kind');
	await send('/v1/events', { headers: { 'last-event-id': 'canary-position' } });
	await send(`/v1/files/${id}`, { method: 'DELETE' });
}
