import { expect } from 'vitest';
import { solidPng } from './png.ts';

interface Answered {
	readonly status: number;
	readonly body: string;
}

/** How requests are sent: with a key unless it is null. */
interface Senders {
	send(path: string, init?: RequestInit, key?: string | null): Promise<Answered>;
	post(path: string, body: unknown): Promise<Answered>;
}

/**
 * Puts canaries into every field of the image operations, on good ways and on bad ones, for the model `leaky-image`. Returns the events of a
 * stream that fails.
 */
export async function useImages({ post, send }: Senders): Promise<string> {
	const image = { model: 'leaky-image', prompt: 'canary-prompt', user: 'canary-user' };
	const good = Buffer.from(solidPng(4, 4, [1, 2, 3])).toString('base64');
	const url = (data: string) => ({ image_url: `data:image/png;name=canary-label;base64,${data}` });
	const bad = Buffer.from('canary-picture'.repeat(10_000)).toString('base64');
	for (const prompt of ['canary-prompt', 'canary-prompt politely', 'canary-prompt works']) {
		await post('/v1/images/generations', { ...image, prompt });
		await post('/v1/images/edits', { ...image, prompt, image: url(good) });
	}
	await post('/v1/images/generations', { ...image, size: 'canary-size' });
	await post('/v1/images/edits', { ...image, image: url(bad) });
	await post('/v1/images/edits', { ...image, images: [url('canary-picture')] });
	await post('/v1/images/edits', { ...image, images: [url(`canary-picture${bad}!`)] });
	await post('/v1/images/edits', { ...image, images: [{ image_url: 'https://canary-url/x' }] });
	await post('/v1/images/edits', { ...image, images: ['canary-picture'] });
	for (const content of [Buffer.from(good, 'base64'), 'canary-file-content']) {
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

/** Fetches a picture by its signed address, which it returns, and by some that are wrong. */
export async function useLinks({ post, send }: Senders): Promise<URL> {
	const { body } = await post('/v1/images/generations', {
		model: 'leaky-image',
		prompt: 'canary-prompt works',
		response_format: 'url',
	});
	const link = new URL(JSON.parse(body).data[0].url);
	const wrong = (from: string, to: string) => `${link.pathname}${link.search}`.replace(from, to);
	for (const [path, status] of [
		[wrong('', ''), 200],
		[wrong('signature=', 'signature=0'), 404],
		[wrong('results/', 'results/canary'), 404],
		[wrong('?', '?canary=canary-query&'), 200],
		['/v1/images/results/canary-name?signature=canary-signature', 404],
	] as const) {
		expect((await send(path, {}, null)).status).toBe(status);
	}
	await send(wrong('', ''), { method: 'PUT' });
	await send(wrong('', ''), { headers: { range: 'bytes=9999999-' } }, null);
	return link;
}
