import type { Experimental_VideoModelV4 } from '@ai-sdk/provider';
import type { VideoRequest, VideoRun } from '@plinth/plugin-video/model';
import { eventually, jsonResponse, scriptedUpstream, type UpstreamScript } from '@plinth/testing';
import { createReplicate } from 'replicate-of-specification-v3';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { failureOf, modelOf, run } from './support/models.ts';
import { bytes, cut, failure, jsonOf, Predictions } from './support/scripts.ts';

const videoBytes = Buffer.from('a film');
let predictions: Predictions;
/** Scripts that replace the normal response to a kind of request; each is used once. */
let overrides: Record<string, UpstreamScript[]>;

const server = await scriptedUpstream((response, request) => {
	const kind = request.method === 'POST' ? 'start' : request.path.includes('/files/') ? 'file' : 'status';
	return (overrides[kind]?.shift() ?? predictions.script)(response, request);
});
afterAll(() => server.stop());

beforeEach(() => {
	predictions = new Predictions(() => videoBytes, [{ status: 'processing' }, { status: 'succeeded' }]);
	overrides = {};
});

const options = { baseURL: `${server.url}/v1`, apiToken: 'the-token' };
const named = { provider: '@ai-sdk/replicate', model: 'a/b', options };
const baseRequest: VideoRequest = { prompt: 'a lake', seconds: 4, size: { width: 1280, height: 720 } };

interface Attempt {
	readonly signal?: AbortSignal;
	readonly resume?: string;
	readonly checkpoint?: (token: string) => Promise<void>;
	readonly request?: Partial<VideoRequest>;
}

/** Starts one attempt of a model and records its checkpoints and progress. */
async function attempt(instance = aiSdk.video(named), { signal, resume, checkpoint, request }: Attempt = {}) {
	const model = await modelOf(instance);
	const tokens: string[] = [];
	const progress: number[] = [];
	const context: VideoRun = {
		...run(signal),
		...{ key: 'key-of-the-attempt', progress: (fraction) => void progress.push(fraction) },
		...(resume === undefined ? {} : { resume }),
		async checkpoint(token) {
			tokens.push(token);
			await checkpoint?.(token);
		},
	};
	const result = model.generate({ ...baseRequest, ...request }, context);
	result.catch(() => {});
	return { result, tokens, progress, model };
}

const requestsOf = (method: string) => server.requests.filter((request) => request.method === method);

describe('a video model with operations', () => {
	test('starts a prediction with all inputs, polls it and fetches the file', async () => {
		const reference = { mediaType: 'image/png', size: 3, bytes: async () => Buffer.from('png') };
		const { result, tokens, progress } = await attempt(undefined, { request: { reference } });
		const { body, mediaType } = await result;
		expect([Buffer.from(body as Uint8Array), mediaType]).toEqual([videoBytes, 'video/mp4']);
		const start = requestsOf('POST').at(-1) ?? expect.fail();
		expect(start.path).toBe('/v1/models/a/b/predictions');
		expect(start.headers).toMatchObject({ authorization: 'Bearer the-token', 'idempotency-key': 'key-of-the-attempt' });
		expect(jsonOf(start).input).toEqual({
			...{ prompt: 'a lake', size: '1280x720', duration: 4, seed: 0x7fff_fff0 },
			image: `data:image/png;base64,${Buffer.from('png').toString('base64')}`,
		});
		expect(tokens.map((token) => JSON.parse(token).operation)).toEqual([{ getUrl: `${server.url}/v1/predictions/0` }]);
		// The provider reports no progress.
		expect(progress).toEqual([]);
	});

	test('sends the aspect ratio when the config asks for it', async () => {
		await (await attempt(aiSdk.video({ ...named, aspectRatio: true }))).result;
		expect(jsonOf(requestsOf('POST').at(-1) ?? expect.fail()).input).toMatchObject({ aspect_ratio: '16:9' });
	});

	test('resumes from its checkpoint without a second prediction', async () => {
		const first = await attempt();
		await first.result;
		const second = await attempt(undefined, { resume: first.tokens[0] ?? '' });
		expect(Buffer.from((await second.result).body as Uint8Array)).toEqual(videoBytes);
		expect([predictions.begun, second.tokens]).toEqual([1, []]);
	});

	test('writes its checkpoint even if the job is aborted while it starts', async () => {
		const controller = new AbortController();
		const started = Promise.withResolvers<void>();
		overrides.start = [
			async (response, request) => {
				controller.abort(new Error('stopping'));
				await started.promise;
				predictions.script(response, request);
			},
		];
		const { result, tokens } = await attempt(undefined, { signal: controller.signal });
		await eventually('the start request arrives', () => controller.signal.aborted);
		started.resolve();
		await expect(result).rejects.toThrow('stopping');
		await eventually('the checkpoint is written', () => tokens.length === 1);
		expect([predictions.begun, requestsOf('POST').at(-1)?.isAborted()]).toEqual([1, false]);
	});

	test('retries when the provider is temporarily unavailable', async () => {
		overrides.status = [
			failure(503, {}),
			(response) => response.destroy(),
			failure(429, {}, { 'retry-after': '1' }),
			jsonResponse({ no: 'prediction' }),
		];
		expect((await (await attempt()).result).mediaType).toBe('video/mp4');
	});

	test('fails when the provider stays unavailable', async () => {
		overrides.status = Array.from({ length: 400 }, () => failure(503, {}));
		const { result } = await attempt(aiSdk.video(named));
		expect(await failureOf(result)).toMatchObject({ status: 503, code: 'model_unavailable' });
	});

	test.each([
		['does not know the prediction', 'status', failure(404, {}), 'replicate.video failed with 404'],
		['refuses the key', 'start', failure(401, {}), 'replicate.video failed with 401'],
		['cancels the prediction', 'status', jsonResponse({ id: '0', status: 'canceled', urls: { get: '' } }), ''],
		['has lost the file', 'file', failure(404, {}), `the file at ${new URL(server.url).host} cannot be read: 404`],
	])('fails when the provider %s', async (_, place, script, log) => {
		overrides[place] = [script];
		const failed = await failureOf((await attempt()).result);
		expect(failed).toMatchObject({ status: 502, code: 'model_error' });
		expect(failed.log).toContain(log);
		expect(failed.message).not.toContain(server.url);
	});

	test('returns the reason of the failure without URLs', async () => {
		const error = `NSFW content at ${server.url}/x?token=1 detected`;
		overrides.status = [jsonResponse({ id: '0', status: 'failed', error, urls: { get: '' } })];
		const { message, status } = await failureOf((await attempt()).result);
		expect(status).toBe(502);
		expect(message).toContain('NSFW content at the provider detected');
		expect(message).not.toContain('token');
	});

	test('repeats a download that was cut', async () => {
		overrides.file = [cut('a fi', 'video/mp4'), failure(502, {}), cut('', 'video/mp4')];
		expect(Buffer.from((await (await attempt()).result).body as Uint8Array)).toEqual(videoBytes);
		expect(predictions.begun).toBe(1);
	});

	test('stops polling when the job is cancelled', async () => {
		predictions = new Predictions(() => videoBytes, [{ status: 'processing' }]);
		const controller = new AbortController();
		const { result, model } = await attempt(undefined, { signal: controller.signal });
		const { length } = requestsOf('GET');
		await eventually('the prediction is polled', () => requestsOf('GET').length > length + 2);
		controller.abort(new Error('cancelled'));
		await expect(result).rejects.toThrow('cancelled');
		const after = requestsOf('GET').length;
		for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
		// One request may have been on its way to the server.
		expect(requestsOf('GET').length - after).toBeLessThanOrEqual(1);
		expect(model.cancel).toBeUndefined();
	});
});

describe('the file of a video', () => {
	/** A model whose file is at this URL. */
	const videoAt = (url: string): Experimental_VideoModelV4 => ({
		...{ specificationVersion: 'v4', provider: 'far.video', modelId: 'm', maxVideosPerCall: 1 },
		doGenerate: async () => ({
			videos: [{ type: 'url', url, mediaType: 'video/mp4' }],
			warnings: [{ type: 'unsupported', feature: 'duration', details: 'Always 5 seconds.' }],
			response: { timestamp: new Date(), modelId: 'm', headers: undefined },
		}),
	});

	test('is not fetched from a private address', async () => {
		const { length } = server.requests;
		const failed = await failureOf((await attempt(aiSdk.video(videoAt(`${server.url}/v1/files/0`)))).result);
		expect(failed).toMatchObject({ status: 502, code: 'model_error', log: expect.stringContaining('https') });
		expect(server.requests).toHaveLength(length);
	});

	test('is fetched from an origin that the operator allows', async () => {
		overrides.file = [bytes(videoBytes, 'video/mp4')];
		const model = videoAt(`${server.url}/v1/files/0`);
		const { result } = await attempt(aiSdk.video({ model, resultOrigins: [server.url] }));
		expect(await result).toMatchObject({ body: videoBytes, warnings: ['duration: Always 5 seconds.'] });
	});

	test('is not fetched after a redirect to another private address', async () => {
		const privateServer = await scriptedUpstream(bytes(videoBytes, 'video/mp4'), { onTestFinished });
		overrides.file = [(response) => response.writeHead(302, { location: `${privateServer.url}/secret` }).end()];
		const model = videoAt(`${server.url}/v1/files/0`);
		const { result } = await attempt(aiSdk.video({ model, resultOrigins: [server.url] }));
		expect(await failureOf(result)).toMatchObject({ status: 502, code: 'model_error' });
		expect(privateServer.requests).toHaveLength(0);
	});

	test.each([
		['binary', new Uint8Array(videoBytes)],
		['base64', videoBytes.toString('base64')],
	] as const)('can be %s data instead of a URL', async (type, data) => {
		const { doGenerate, ...model } = videoAt('');
		const response = { timestamp: new Date(), modelId: 'm', headers: undefined };
		const video = { type, data, mediaType: 'video/mp4' } as { type: 'base64'; data: string; mediaType: string };
		const { result } = await attempt(
			aiSdk.video({ ...model, doGenerate: async () => ({ videos: [video], warnings: [], response }) }),
		);
		expect(Buffer.from((await result).body as Uint8Array)).toEqual(videoBytes);
	});
});

describe('a video model of specification version 3', () => {
	const createOfVersion3 = () =>
		aiSdk.video({
			model: createReplicate(options).video('a/b'),
			providerOptions: { replicate: { pollIntervalMs: 1 } },
			resultOrigins: [server.url],
		});

	test('makes the video in one call, without a checkpoint', async () => {
		const { result, tokens } = await attempt(createOfVersion3());
		expect(Buffer.from((await result).body as Uint8Array)).toEqual(videoBytes);
		expect(tokens).toEqual([]);
	});

	test('stops at an abort although the package is still waiting', async () => {
		predictions = new Predictions(() => videoBytes, [{ status: 'processing' }]);
		const controller = new AbortController();
		const slow = aiSdk.video({
			model: createReplicate(options).video('a/b'),
			providerOptions: { replicate: { pollIntervalMs: 60_000 } },
		});
		const { result } = await attempt(slow, { signal: controller.signal });
		await eventually('the prediction is started', () => predictions.begun === 1);
		controller.abort(new Error('cancelled'));
		await expect(result).rejects.toThrow('cancelled');
	});

	test('maps provider errors to Plinth errors', async () => {
		overrides.status = [jsonResponse({ id: '0', status: 'failed', error: 'out of memory', urls: { get: '' } })];
		const failed = await failureOf((await attempt(createOfVersion3())).result);
		expect(failed).toMatchObject({ status: 502, log: expect.stringContaining('out of memory') });
	});
});
