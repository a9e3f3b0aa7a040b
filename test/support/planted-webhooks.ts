import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@plinth/testing';
import { expect } from 'vitest';

interface Answered {
	readonly status: number;
	readonly body: string;
}

/** How requests are sent. */
interface Senders {
	send(path: string, init?: RequestInit): Promise<Answered>;
	post(path: string, body: unknown): Promise<Answered>;
}

/** What is known of webhooks after everything has been asked of them. */
export interface PlantedWebhooks {
	/** Of endpoints, the replaced one too, and of a callback. */
	readonly secrets: readonly string[];
	/** The bodies of all answers but those that show a new secret. */
	readonly told: string;
}

const endpoints = '/v1/webhook_endpoints';
const callbackSecret = `whsec_${Buffer.alloc(30, 'secret of a callback').toString('base64')}`;

/**
 * Makes endpoints and callbacks with canaries in every field, on good ways and on bad ones, and lets them be sent to a receiver that
 * fails. Private addresses have to be allowed.
 */
export async function useWebhooks({ send, post }: Senders): Promise<PlantedWebhooks> {
	const told: string[] = [];
	const tell = async (answer: Promise<Answered>) => {
		told.push((await answer).body);
		return JSON.parse((await answer).body);
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
		const made = JSON.parse((await post(endpoints, fields)).body);
		const path = `${endpoints}/${made.id}`;
		const rotated = await post(`${path}/rotate_secret`, {
			keep_old_secret_active_for_24_hours: true,
		});
		for (const wrong of [
			{ url: 'canary-url' },
			{ url: `https://canary-user:canary-password@127.0.0.1:${port}/` },
			{ name: 'canary'.repeat(100) },
			{ event_types: ['canary-type'] },
		]) {
			await tell(post(endpoints, { ...fields, ...wrong }));
			await tell(post(path, wrong));
		}
		await tell(post(`${path}/test`, { event_type: 'video.failed' }));
		await tell(post(`${path}/test`, { event_type: 'canary-type' }));
		const video = { model: 'leaky-video', prompt: 'canary-prompt', callback_url: url };
		await tell(post('/v1/videos', { ...video, callback_secret: 'canary-secret' }));
		await tell(post('/v1/videos', { ...video, callback_url: 'canary-url' }));
		const { id } = await tell(post('/v1/videos', { ...video, callback_secret: callbackSecret }));
		// The test, and both attempts at the endpoint and at the callback.
		await eventually('everything was tried', () => received >= 5);
		await eventually('and has failed', async () => {
			const { data } = await tell(send('/v1/webhook_deliveries'));
			return data.length === 2 && data.every((each: { status: string }) => each.status === 'failed');
		});
		await tell(send(`/v1/videos/${id}`));
		await tell(send(endpoints));
		await tell(send(path));
		await tell(post(path, { name: 'another canary-name' }));
		const secrets = [made.signing_secret, JSON.parse(rotated.body).signing_secret, callbackSecret];
		expect(secrets.map((secret) => secret.slice(0, 6))).toEqual(secrets.map(() => 'whsec_'));
		return { secrets, told: told.join('\n') };
	} finally {
		receiver.close();
	}
}

/** Stores files with canaries in their names and contents, and asks for some that cannot be had. */
export async function useStoredFiles({ send, post }: Senders): Promise<void> {
	const form = (fields: Readonly<Record<string, string>>, content: string) => {
		const body = new FormData();
		for (const [name, value] of Object.entries(fields)) body.set(name, value);
		body.set('file', new File([content], 'canary-file-name.txt'));
		return { method: 'POST', body };
	};
	const made = await send('/v1/files', form({ purpose: 'user_data' }, 'canary-file-content'));
	const { id } = JSON.parse(made.body);
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
