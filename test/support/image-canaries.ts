import { expect } from 'vitest';
import { solidPng } from './png.ts';

interface ResponseText {
	readonly status: number;
	readonly body: string;
}

/** Sends requests: with a key, unless the key is null. */
interface Senders {
	send(path: string, init?: RequestInit, key?: string | null): Promise<ResponseText>;
	post(path: string, body: unknown): Promise<ResponseText>;
}

/**
 * Sends canaries in every field of valid and invalid image requests to the model `leaky-image`. Returns the events of a
 * stream that fails.
 */
export async function sendImageCanaries({ post, send }: Senders): Promise<string> {
	const image = { model: 'leaky-image', prompt: 'canary-prompt', user: 'canary-user' };
	const validImage = Buffer.from(solidPng(4, 4, [1, 2, 3])).toString('base64');
	const url = (data: string) => ({ image_url: `data:image/png;name=canary-label;base64,${data}` });
	const invalidImage = Buffer.from('canary-picture'.repeat(10_000)).toString('base64');
	for (const prompt of ['canary-prompt', 'canary-prompt politely', 'canary-prompt works']) {
		await post('/v1/images/generations', { ...image, prompt });
		await post('/v1/images/edits', { ...image, prompt, image: url(validImage) });
	}
	await post('/v1/images/generations', { ...image, size: 'canary-size' });
	await post('/v1/images/edits', { ...image, image: url(invalidImage) });
	await post('/v1/images/edits', { ...image, images: [url('canary-picture')] });
	await post('/v1/images/edits', { ...image, images: [url(`canary-picture${invalidImage}!`)] });
	await post('/v1/images/edits', { ...image, images: [{ image_url: 'https://canary-url/x' }] });
	await post('/v1/images/edits', { ...image, images: ['canary-picture'] });
	for (const content of [Buffer.from(validImage, 'base64'), 'canary-file-content']) {
		const fields = new FormData();
		for (const [name, value] of Object.entries(image)) fields.set(name, value);
		fields.set('image', new File([content], 'canary-file-name.png'));
		await send('/v1/images/edits', { method: 'POST', body: fields });
	}
	const { body } = await post('/v1/images/generations', {
		...image,
		prompt: 'halfway',
		stream: true,
		partial_images: 1,
	});
	expect(body).toMatch(/partial_image[\s\S]*event: error/);
	return body;
}

/** Fetches an image by its signed URL and by invalid variants of it. Returns the signed URL. */
export async function sendLinkCanaries({ post, send }: Senders): Promise<URL> {
	const { body } = await post('/v1/images/generations', {
		model: 'leaky-image',
		prompt: 'canary-prompt works',
		response_format: 'url',
	});
	const signedUrl = new URL(JSON.parse(body).data[0].url);
	const altered = (from: string, to: string) => `${signedUrl.pathname}${signedUrl.search}`.replace(from, to);
	for (const [path, status] of [
		[altered('', ''), 200],
		[altered('signature=', 'signature=0'), 404],
		[altered('results/', 'results/canary'), 404],
		[altered('?', '?canary=canary-query&'), 200],
		['/v1/images/results/canary-name?signature=canary-signature', 404],
	] as const) {
		expect((await send(path, {}, null)).status).toBe(status);
	}
	await send(altered('', ''), { method: 'PUT' });
	await send(altered('', ''), { headers: { range: 'bytes=9999999-' } }, null);
	return signedUrl;
}
