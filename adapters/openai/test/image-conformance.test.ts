import { setTimeout as delay } from 'node:timers/promises';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { afterAll, describe, test } from 'vitest';
import { openai } from '../src/index.ts';
import { createModel } from './harness.ts';
import { codec, colors } from './pictures.ts';
import { systemClock } from './system-clock.ts';
import { frame, type Handler, startScripted, type UpstreamRequest } from './upstream.ts';

const images = await codec();
let pictureCount = 0;

/** Returns a different picture each time, after a short delay. */
const upstreamHandler: Handler = async (request, res) => {
	const { isStreamed, size } = parametersOf(request);
	const [width = 64, height = 48] = size.split('x').map(Number);
	const picture = await images.encode(colors(width, height, ++pictureCount), { format: 'png', effort: 1 });
	const base64 = Buffer.from(picture).toString('base64');
	await delay(5);
	if (res.destroyed) return;
	if (!isStreamed) {
		res.writeHead(200, { 'content-type': 'application/json' });
		res.end(JSON.stringify({ data: [{ b64_json: base64 }, { b64_json: base64 }, { b64_json: base64 }] }));
		return;
	}
	res.writeHead(200, { 'content-type': 'text/event-stream' });
	res.write(frame({ type: 'image_edit.partial_image', b64_json: base64 }));
	await delay(20);
	if (!res.destroyed) res.end(frame({ type: 'image_edit.completed', b64_json: base64 }));
};

function parametersOf({ json, form }: UpstreamRequest): { isStreamed: boolean; size: string } {
	const field = (name: string) => `${json[name] ?? form.get(name) ?? ''}`;
	return {
		isStreamed: field('stream') === 'true',
		size: field('size') || '64x48',
	};
}

const upstream = await startScripted(upstreamHandler);
afterAll(() => upstream.close());

describe('a model with an upstream conforms:', () => {
	const cases = imageModelSuite({
		async create() {
			const instance = openai.image({ baseURL: upstream.baseURL });
			const { model, stop } = await createModel(instance, { clock: systemClock, images });
			return { model, close: stop };
		},
		images,
		supports: { partials: true, transparency: false },
	});
	for (const { name, run } of cases) test(name, run);
});
