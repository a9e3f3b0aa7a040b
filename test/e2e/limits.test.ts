import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeVideo } from '../support/fake-models.ts';
import { solidPng } from '../support/png.ts';
import {
	expectRule,
	missing,
	postForm,
	postJson,
	prompts,
	type Rule,
	titled,
	tooLong,
	tooShort,
	waves,
} from '../support/rules.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

let served: Served;
let client: RawClient;
let completed: string;

beforeAll(async () => {
	served = await serveEmbedded({
		models: { 'instant-1': fakeVideo() },
	});
	client = rawClient(served.url, keyA);
	const { id } = await client.create({ model: 'instant-1', prompt: 'limits' });
	completed = (await client.finished(id)).id;
});

afterAll(() => served?.stop());

const pixel = solidPng(16, 16, [1, 2, 3]);
const pictureUrl = `data:image/png;base64,${Buffer.from(pixel).toString('base64')}`;

const videoRules: readonly Rule[] = [
	...prompts,
	['model', undefined, missing],
	['model', '', tooShort],
	['seconds', '2'],
	['seconds', '4'],
	['seconds', '8'],
	['seconds', '12'],
	['seconds', '1', 'invalid_value'],
	['seconds', '3', 'invalid_value'],
	['seconds', '16', 'invalid_value'],
	['seconds', '2.0', 'invalid_value'],
	['seconds', '', 'invalid_value'],
	['size', '720x1280'],
	['size', '1280x720'],
	['size', '1024x1792'],
	['size', '1792x1024'],
	['size', '640x480'],
	['size', '480x640'],
	['size', '480x480', 'invalid_value'],
	['size', '1280X720', 'invalid_value'],
	['size', '', 'invalid_value'],
	['input_reference', 'a.png', 'invalid_type'],
];
/** Values that only JSON can express. */
const videoJsonRules: readonly Rule[] = [
	['prompt', null, 'invalid_type'],
	['prompt', 5, 'invalid_type'],
	['prompt', ['x'], 'invalid_type'],
	['seconds', 8],
	['seconds', 5, 'invalid_value'],
	['seconds', Number.POSITIVE_INFINITY, 'invalid_value'],
	['size', { width: 1280, height: 720 }, 'invalid_value'],
	['input_reference', { image_url: pictureUrl }],
	['input_reference', { image_url: 'https://elsewhere.test/a.png' }, 'invalid_value'],
	['input_reference', { image_url: 'data:image/png;base64,' }, 'invalid_value'],
	['input_reference', { image_url: 5 }, 'invalid_type'],
	['input_reference', {}, missing],
	['input_reference', { file_id: 'file-1' }, 'invalid_value'],
];
const speechRules: readonly Rule[] = [
	['input', 'Hi.'],
	['input', '', tooShort],
	['input', 'x'.repeat(4_097), tooLong],
	['input', waves(4_097), tooLong],
	['input', undefined, missing],
	['input', 5, 'invalid_type'],
	['model', undefined, missing],
	['model', '', tooShort],
	['voice', undefined, missing],
	['voice', '', tooShort],
	['voice', 'v'.repeat(257), tooLong],
	['voice', 'nobody', 'invalid_value'],
	['speed', 0.25],
	['speed', 4],
	['speed', 0.24, 'decimal_below_min_value'],
	['speed', 4.01, 'decimal_above_max_value'],
	['speed', '1', 'invalid_type'],
	['response_format', 'wav'],
	['response_format', 'pcm'],
	['response_format', 'midi', 'invalid_value'],
	['instructions', 'x'.repeat(4_096)],
	['instructions', 'x'.repeat(4_097), tooLong],
	['stream_format', 'sse'],
	['stream_format', 'morse', 'invalid_value'],
];

describe('POST /v1/videos', () => {
	const good = { model: 'instant-1', prompt: 'x' };

	test.each(titled([...videoRules, ...videoJsonRules]))('in JSON: $title', async ({ rule }) => {
		const response = await postJson(client, '/v1/videos', { ...good, [rule[0]]: rule[1] });
		await expectRule(response, rule, 201);
	});

	test.each(titled(videoRules))('in a form: $title', async ({ rule }) => {
		const response = await postForm(client, '/v1/videos', { ...good, [rule[0]]: rule[1] });
		await expectRule(response, rule, 201);
	});

	test.each([
		['a file of one byte too many', 52_428_801, 413, 'request_too_large'],
		['a file of the largest size that is not an image', 52_428_800, 400, 'invalid_image'],
		['an empty file', 0, 400, 'invalid_image'],
	] as const)('in a form: %s', async (_, size, status, code) => {
		const file = new Blob([new Uint8Array(size)], { type: 'image/png' });
		const response = await postForm(client, '/v1/videos', { ...good, input_reference: file });
		expect(response.status).toBe(status);
		expect(await failure(response)).toMatchObject({ code, param: 'input_reference' });
	});

	test('in a form: two pictures', async () => {
		const form = new FormData();
		for (const [name, value] of Object.entries(good)) form.append(name, value);
		for (let i = 0; i < 2; i++) form.append('input_reference', new Blob([pixel]));
		const response = await client.send('/v1/videos', { method: 'POST', body: form });
		expect(response.status).toBe(400);
		expect(await failure(response)).toMatchObject({
			code: 'invalid_value',
			param: 'input_reference',
		});
	});

	test('in JSON: more than 22 MB', async () => {
		const response = await postJson(client, '/v1/videos', { ...good, extra: 'x'.repeat(23_068_672) });
		expect(response.status).toBe(413);
		expect(await failure(response)).toMatchObject({ code: 'request_too_large', param: null });
	});
});

describe('POST /v1/videos/{id}/remix', () => {
	test.each(titled(prompts))('$title', async ({ rule }) => {
		const response = await postJson(client, `/v1/videos/${completed}/remix`, { [rule[0]]: rule[1] });
		await expectRule(response, rule, 201);
	});
});

describe('POST /v1/audio/speech', () => {
	const good = { model: 'builtin-speech', voice: 'nova', input: 'Hi.', response_format: 'wav' };

	test.each(titled(speechRules))('$title', async ({ rule }) => {
		const response = await postJson(client, '/v1/audio/speech', { ...good, [rule[0]]: rule[1] });
		await expectRule(response, rule, 200);
	});
});

describe('GET /v1/videos', () => {
	const rules: readonly Rule[] = [
		['limit', '0'],
		['limit', '100'],
		['limit', '-1', 'integer_below_min_value'],
		['limit', '101', 'integer_above_max_value'],
		['limit', 'ten', 'invalid_type'],
		['order', 'asc'],
		['order', 'up', 'invalid_value'],
		['after', 'nonsense', 'invalid_value'],
	];

	test.each(titled(rules))('$title', async ({ rule }) => {
		const response = await client.send(`/v1/videos?${rule[0]}=${rule[1]}`);
		await expectRule(response, rule, 200);
	});
});
