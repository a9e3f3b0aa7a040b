import { createReplicate } from '@ai-sdk/replicate';
import type { ImageEditRequest, ImageInput, ImageRequest } from '@plinth/plugin-image/model';
import { eventually, jsonResponse, scriptedUpstream } from '@plinth/testing';
import { createReplicate as createReplicateOfVersion3 } from 'replicate-of-specification-v3';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { failureOf, modelOf, run } from './support/models.ts';
import { bytes, cut, failure, formOf, jsonOf } from './support/scripts.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\nfirst', 'latin1');
const jpeg = Buffer.from('\xff\xd8\xffsecond', 'latin1');
const reply = jsonResponse({
	data: [png, jpeg].map((image) => ({ b64_json: image.toString('base64') })),
	usage: { input_tokens: 4, output_tokens: 9 },
});

const server = await scriptedUpstream(reply);
afterAll(() => server.stop());
beforeEach(() => server.script(reply));

const requestOf = (part: Partial<ImageRequest> = {}): ImageRequest => ({
	...{ prompt: 'a cat', count: 2, quality: 'auto', background: 'auto', format: 'png', compression: 100 },
	moderation: 'auto',
	...part,
});

function inputOf(text: string, mediaType: ImageInput['mediaType'] = 'image/png'): ImageInput {
	const file = Buffer.from(text);
	const facts = { size: file.length, width: 8, height: 8, hasAlpha: true, sha256: '0'.repeat(64), source: file };
	return { mediaType, ...facts, bytes: async () => file };
}

const model = () => {
	const options = { name: 'us', baseURL: server.url };
	const config = { provider: '@ai-sdk/openai-compatible', model: 'm', options, operations: ['generate', 'edit'] };
	return modelOf(aiSdk.image(config as Parameters<typeof aiSdk.image>[0]));
};

const noPartials = { partials: 0, partial: () => {} };

async function makeImages(request: ImageRequest | ImageEditRequest = requestOf(), signal?: AbortSignal) {
	const { generate, edit } = await model();
	const context = { ...run(signal), ...noPartials };
	const result = 'images' in request ? edit?.(request, context) : generate?.(request, context);
	return result ?? expect.fail('the model does not do that');
}

describe('an image model', () => {
	test('sends the count and the size, and returns the usage', async () => {
		const { images, usage, warnings } = await makeImages(requestOf({ size: { width: 512, height: 256 }, steps: 9 }));
		const { seed: _, ...asked } = jsonOf(server.requests.at(-1) ?? expect.fail());
		expect(asked).toEqual({ model: 'm', prompt: 'a cat', n: 2, size: '512x256' });
		expect(images).toEqual([
			{ body: png, mediaType: 'image/png' },
			{ body: jpeg, mediaType: 'image/jpeg' },
		]);
		expect(usage).toEqual({ inputTextTokens: 4, inputImageTokens: 0, outputTokens: 9 });
		expect(warnings).toEqual(['num_inference_steps: the AI SDK has no such option for this model.']);
	});

	test('has the limit of pictures per call from the provider', async () => {
		expect((await model()).abilities?.count).toBe(10);
	});

	test('sends the pictures and the mask of an edit', async () => {
		const images = [inputOf('one'), inputOf('two', 'image/webp')];
		await makeImages({ ...requestOf({ prompt: 'as a dog' }), images, mask: inputOf('mask'), fidelity: 'low' });
		const request = server.requests.at(-1) ?? expect.fail();
		expect(request.path).toBe('/images/edits');
		const form = await formOf(request);
		const files = form.getAll('image[]') as File[];
		expect(await Promise.all(files.map(async (file) => [file.type, await file.text()]))).toEqual([
			['image/png', 'one'],
			['image/webp', 'two'],
		]);
		expect(await (form.get('mask') as File).text()).toBe('mask');
		expect([form.get('prompt'), form.get('n')]).toEqual(['as a dog', '2']);
	});

	test.each([
		['4', createReplicate],
		['3', createReplicateOfVersion3],
	])('of version %s sends the seed and the provider options of the config', async (_, create) => {
		const prediction = { id: '1', status: 'succeeded', output: [`${server.url}/made.png`], urls: { get: server.url } };
		server.script(jsonResponse(prediction), bytes(png, 'image/png'));
		const replicate = create({ baseURL: server.url, apiToken: 'token' });
		const providerOptions = { replicate: { guidance_scale: 3 } };
		const { generate } = await modelOf(aiSdk.image({ model: replicate.image('a/b'), providerOptions }));
		const { images } = (await generate?.(requestOf({ count: 1 }), { ...run(), ...noPartials })) ?? expect.fail();
		expect(images).toEqual([{ body: new Uint8Array(png), mediaType: 'image/png' }]);
		expect(jsonOf(server.requests.at(-2) ?? expect.fail()).input).toMatchObject({
			prompt: 'a cat',
			seed: 0x7fff_fff0,
			guidance_scale: 3,
		});
	});
});

describe('an image model fails', () => {
	test.each([
		['with too few pictures', jsonResponse({ data: [{ b64_json: png.toString('base64') }] }), 'sent 1 of 2 pictures'],
		[
			'with bytes that are no picture',
			jsonResponse({ data: [1, 2].map(() => ({ b64_json: 'AAAA' })) }),
			'something else than a PNG',
		],
		['with a response that is cut', cut('{"data":[', 'application/json'), 'us.image failed'],
	])('of %s', async (_, script, log) => {
		server.script(script);
		const failed = await failureOf(makeImages());
		expect(failed).toMatchObject({ status: 502, code: 'model_error', log: expect.stringContaining(log) });
	});

	test('a refusal by the provider reaches the client', async () => {
		server.script(failure(400, { code: 'moderation_blocked', message: 'Not that.' }));
		expect(await failureOf(makeImages())).toMatchObject({
			status: 400,
			code: 'moderation_blocked',
			message: 'Not that.',
		});
	});

	test('an abort closes the connection', async () => {
		server.script(() => {});
		const controller = new AbortController();
		const { length } = server.requests;
		const result = makeImages(requestOf(), controller.signal);
		await eventually('the server receives the request', () => server.requests.length > length);
		controller.abort(new Error('gone'));
		await expect(result).rejects.toThrow('gone');
		await eventually('the server sees the end', () => server.requests.at(-1)?.isAborted() === true);
	});
});
