import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImageModel } from '@plinth/plugin-image/model';
import { eventually } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openai } from '../src/index.ts';
import { type Failed, failureOf, modelOf } from './harness.ts';
import { codec, colors, imageRequest, inputOf, make, paint } from './pictures.ts';
import {
	bytes,
	cutAfter,
	failure,
	frame,
	type Handler,
	hangUp,
	json,
	type ScriptedUpstream,
	scripted,
	silent,
	sse,
} from './upstream.ts';

const images = await codec();
const png = Buffer.from(await images.encode(colors(8, 8, 1), { format: 'png' }));
const jpeg = Buffer.from(await images.encode(colors(8, 8, 2), { format: 'jpeg' }));
/** Noise, so that its base64 is long. */
const large = Buffer.from(
	await images.encode(
		paint(256, 256, (x, y) => [(x * 7919 + y * 104729) % 251, (x * y * 31) % 241, (x ^ (y * 13)) % 239, 255]),
		{ format: 'png' },
	),
);
const item = (picture: Buffer, more: object = {}) => ({
	b64_json: picture.toString('base64'),
	...more,
});

async function createImageModel(
	handlers: readonly Handler[],
	options: object = {},
): Promise<{ readonly model: ImageModel; readonly upstream: ScriptedUpstream }> {
	const upstream = await scripted(...handlers);
	const instance = openai.image({ baseURL: upstream.baseURL, apiKey: 'the-key', ...options });
	return { model: await modelOf(instance, { images }), upstream };
}

async function failedWith(handler: Handler, options?: object): Promise<Failed> {
	const { model } = await createImageModel([handler], { retries: 0, ...options });
	return failureOf(make(model, imageRequest()));
}

describe('an answer', () => {
	test('has pictures of any format, the revised prompt and the usage', async () => {
		const usage = {
			input_tokens: 30,
			output_tokens: 100,
			input_tokens_details: { text_tokens: 10, image_tokens: 20 },
		};
		const data = [item(png, { revised_prompt: 'a grey cat' }), item(jpeg)];
		const { model } = await createImageModel([json({ data, quality: 'medium', usage })]);
		const { images: made, ...rest } = await make(model, imageRequest({ count: 2 }));
		expect(made).toEqual([
			{ body: png, mediaType: 'image/png', revisedPrompt: 'a grey cat' },
			{ body: jpeg, mediaType: 'image/jpeg' },
		]);
		expect(rest).toMatchObject({
			quality: 'medium',
			usage: { inputTextTokens: 10, inputImageTokens: 20, outputTokens: 100 },
		});
	});

	test('may contain a large picture, escapes and a data URL prefix', async () => {
		const base64 = large.toString('base64');
		expect(base64.length).toBeGreaterThan(16_384);
		const escaped = `{"data":[{"b64_json":"${base64.replaceAll('/', '\\/')}","revised_prompt":"${'\\u0041'.repeat(4_000)}"}]}`;
		const answers = [
			json({ data: [item(large)] }),
			json({ data: [{ b64_json: `data:image/png;base64,${base64}` }] }),
			json({ data: [{ url: `data:image/png;base64,${base64}` }] }),
			bytes(escaped, 'application/json'),
		];
		const { model } = await createImageModel(answers);
		for (const _ of answers) {
			const [made] = (await make(model, imageRequest())).images;
			expect(made && 'body' in made && large.equals(made.body)).toBe(true);
			if (made?.revisedPrompt) expect(made.revisedPrompt).toBe('A'.repeat(4_000));
		}
	});

	test('may report the number of withheld pictures', async () => {
		const { model } = await createImageModel([json({ data: [item(png)], filtered_count: 1 })]);
		expect(await make(model, imageRequest({ count: 2 }))).toMatchObject({ images: [{}], filtered: 1 });
	});

	test('may contain a URL, which is fetched immediately with the key', async () => {
		const { model, upstream } = await createImageModel([]);
		const url = `${upstream.baseURL.replace('/v1', '')}/files/1.png`;
		for (const address of [url, '/files/1.png']) {
			upstream.on(json({ data: [{ url: address }] }), bytes(png, 'image/png'));
			expect((await make(model, imageRequest())).images).toEqual([{ body: png, mediaType: 'image/png' }]);
			const request = upstream.requests.at(-1);
			expect(request).toMatchObject({
				path: '/files/1.png',
				headers: { authorization: 'Bearer the-key' },
			});
		}
	});

	test('with a URL on another port of the same host is fetched without the key', async () => {
		const other = await scripted(bytes(png, 'image/png'));
		const { model } = await createImageModel([json({ data: [{ url: `${other.baseURL}/1.png` }] })]);
		await make(model, imageRequest());
		expect(other.requests[0]?.headers.authorization).toBeUndefined();
	});

	test('with a URL that redirects is followed without the key, up to a limit', async () => {
		const other = await scripted(bytes(png, 'image/png'));
		const away: Handler = (_, res) => res.writeHead(302, { location: `${other.baseURL}/1` }).end();
		const { model, upstream } = await createImageModel([json({ data: [{ url: '/x' }] }), away]);
		expect((await make(model, imageRequest())).images).toHaveLength(1);
		expect(other.requests[0]?.headers.authorization).toBeUndefined();
		const round: Handler = (_, res) => res.writeHead(302, { location: '/x' }).end();
		upstream.on(json({ data: [{ url: '/x' }] }), round);
		expect(await failureOf(make(model, imageRequest()))).toMatchObject({ status: 502 });
		expect(upstream.requests.length).toBeLessThan(10);
	});
});

describe('a response is an error of the model when it', () => {
	test.each<[string, Handler, RegExp]>([
		['that is no JSON', bytes('<html>', 'application/json'), /no JSON/],
		['that ends in a text', bytes('{"data":[{"b64_json":"iVBO', 'application/json'), /no JSON/],
		['that has no list', json({ data: 'none' }), /no list/],
		['whose picture is none', json({ data: [{ b64_json: 'aGVsbG8=' }] }), /something else than a PNG/],
		['whose picture is missing', json({ data: [{}] }), /something else than a PNG/],
		['with an error message', json({ error: { message: 'CUDA error' } }), /CUDA error/],
		['that breaks off', cutAfter('application/json', '{"data":['), /interrupted its response/],
		['with an address in the network', json({ data: [{ url: 'http://10.0.0.1/a' }] }), /neither its own/],
		[
			'whose address is refused by a store',
			(request, res) =>
				request.method === 'GET'
					? bytes('Signature expired at CUDA-store', 'text/plain', 400)(request, res)
					: json({ data: [{ url: '/x' }] })(request, res),
			/Signature expired/,
		],
		['with no address', json({ data: [{ url: 'file:///etc/passwd' }] }), /neither its own/],
	])('%s', async (_, handler, log) => {
		const failed = await failedWith(handler);
		expect(failed).toMatchObject({ status: 502, code: 'model_error' });
		expect(failed.log).toMatch(log);
		expect(failed.message).not.toMatch(/CUDA|10\.0/);
	});

	test('a rejection by a content filter has its own code', async () => {
		const refusal = failure(400, {
			message: 'Your request was rejected.',
			code: 'moderation_blocked',
		});
		expect(await failedWith(refusal)).toMatchObject({ status: 400, code: 'moderation_blocked' });
	});
});

describe('a stream', () => {
	const partial = (index: number) => ({
		type: 'image_generation.partial_image',
		partial_image_index: index,
		...item(jpeg),
	});
	const completed = {
		type: 'image_generation.completed',
		...item(large),
		usage: { input_tokens: 1, output_tokens: 2 },
	};

	test('sends partial images, then the picture', async () => {
		const { model } = await createImageModel([sse(partial(0), partial(1), completed)]);
		const { shown, images: made, usage } = await make(model, imageRequest(), { partials: 2 });
		expect(shown).toEqual([0, 1].map(() => ({ image: 0, picture: { body: jpeg, mediaType: 'image/jpeg' } })));
		expect(made).toEqual([{ body: large, mediaType: 'image/png' }]);
		expect(usage).toEqual({ inputTextTokens: 1, inputImageTokens: 0, outputTokens: 2 });
	});

	test('of several pictures is one request per picture', async () => {
		const { model, upstream } = await createImageModel([sse(partial(0), completed)]);
		const { shown, images: made, usage } = await make(model, imageRequest({ count: 2 }), { partials: 1 });
		expect(made).toHaveLength(2);
		expect(shown.map(({ image }) => image).sort()).toEqual([0, 1]);
		expect(upstream.requests.map(({ json }) => json.n)).toEqual([1, 1]);
		expect(usage?.outputTokens).toBe(4);
	});

	test('of several pictures ends when one of them fails', async () => {
		const { model, upstream } = await createImageModel([]);
		const refuse: Handler = async (request, res) => {
			await eventually('both requests arrive', () => upstream.requests.length === 2);
			failure(400, { code: 'moderation_blocked' })(request, res);
		};
		upstream.on(refuse, silent);
		const failed = await failureOf(make(model, imageRequest({ count: 2 }), { partials: 1 }));
		expect(failed.code).toBe('moderation_blocked');
		await eventually('the other one is left', () => upstream.aborted.count === 1);
	});

	test('that ends before the picture or reports an error is an error', async () => {
		const cut = cutAfter('text/event-stream', frame(partial(0)));
		for (const handler of [sse(partial(0)), cut, sse(partial(0), { type: 'error', error: { message: 'no' } })]) {
			const { model } = await createImageModel([handler]);
			expect(await failureOf(make(model, imageRequest(), { partials: 1 }))).toMatchObject({
				status: 502,
				code: 'model_error',
			});
		}
	});
});

test.each<[string, Handler]>([
	['a lost connection', hangUp],
	['a gateway that lost maxUnknown', json({}, 504)],
])('a request that may have created a picture is not repeated: %s', async (_, handler) => {
	const { model, upstream } = await createImageModel([handler]);
	await failureOf(make(model, imageRequest()));
	expect(upstream.requests).toHaveLength(1);
});

describe('an edit', () => {
	test('streams its pictures from their files', async () => {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-openai-'));
		onTestFinished(() => rm(dir, { recursive: true }));
		await writeFile(join(dir, 'a.png'), large);
		const input = {
			...(await inputOf(images, colors(4, 4, 1))),
			source: { path: join(dir, 'a.png') },
		};
		const { model, upstream } = await createImageModel([failure(500, {}), json({ data: [item(png)] })]);
		await make(model, { ...imageRequest(), images: [input, input], fidelity: 'low' });
		for (const { form, headers } of upstream.requests) {
			const files = form.getAll('image[]') as File[];
			expect(files.map(({ name, size }) => [name, size])).toEqual([
				['image-1.png', large.length],
				['image-2.png', large.length],
			]);
			expect(headers).toHaveProperty('content-length');
		}
		expect(upstream.requests).toHaveLength(2);
	});
});

describe('a prompt', () => {
	test('cannot set parameters of sd-server', async () => {
		const { model, upstream } = await createImageModel([json({ data: [item(png)] })], { dialect: 'sdcpp' });
		const prompts = [
			'a <sd_cpp_extra_args>{"lora":[{"path":"/etc/passwd"}]}</sd_cpp_extra_args> b',
			'a <sd_cpp_<sd_cpp_extra_args>extra_args>{"x":1}',
			'a < SD_CPP_EXTRA_ARGS >{"x":1}',
			`a<${' '.repeat(16_000)}b${'<sd_cpp_extra_args>'.repeat(800)}`,
		];
		for (const prompt of prompts) await make(model, imageRequest({ prompt }));
		for (const { json } of upstream.requests) {
			const marks = `${json.prompt}`.match(/<\s*\/?\s*sd_cpp_extra_args\s*>/gi);
			expect(marks).toEqual(['<sd_cpp_extra_args>', '</sd_cpp_extra_args>']);
			expect(json.prompt).toMatch(/<sd_cpp_extra_args>\{"seed":7\}<\/sd_cpp_extra_args>$/);
		}
	});
});
