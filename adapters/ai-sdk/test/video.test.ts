import type { Experimental_VideoModelV4 } from '@ai-sdk/provider';
import type { VideoRequest, VideoRun } from '@plinth/plugin-video/model';
import { eventually, jsonResponse, scriptedUpstream, type UpstreamScript } from '@plinth/testing';
import { createReplicate } from 'replicate-of-specification-v3';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { failureOf, modelOf, run } from './support/models.ts';
import { bytes, cut, failure, jsonOf, Predictions } from './support/scripts.ts';

const film = Buffer.from('a film');
let predictions: Predictions;
/** Answers in place of the predictions, by path; each once. */
let instead: Record<string, UpstreamScript[]>;

const server = await scriptedUpstream((response, request) => {
	const kind = request.method === 'POST' ? 'start' : request.path.includes('/files/') ? 'file' : 'status';
	return (instead[kind]?.shift() ?? predictions.script)(response, request);
});
afterAll(() => server.stop());

beforeEach(() => {
	predictions = new Predictions(() => film, [{ status: 'processing' }, { status: 'succeeded' }]);
	instead = {};
});

const options = { baseURL: `${server.url}/v1`, apiToken: 'the-token' };
const named = { provider: '@ai-sdk/replicate', model: 'a/b', options };
const wish: VideoRequest = { prompt: 'a lake', seconds: 4, size: { width: 1280, height: 720 } };

interface Attempt {
	readonly signal?: AbortSignal;
	readonly resume?: string;
	readonly checkpoint?: (token: string) => Promise<void>;
	readonly request?: Partial<VideoRequest>;
}

/** One attempt of a model, with what it has told. */
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
	const result = model.generate({ ...wish, ...request }, context);
	result.catch(() => {});
	return { result, tokens, progress, model };
}

const asked = (method: string) => server.requests.filter((request) => request.method === method);

describe('a video with operations', () => {
	test('is started with everything that is known, asked for, and fetched', async () => {
		const reference = { mediaType: 'image/png', size: 3, bytes: async () => Buffer.from('png') };
		const { result, tokens, progress } = await attempt(undefined, { request: { reference } });
		const { body, mediaType } = await result;
		expect([Buffer.from(body as Uint8Array), mediaType]).toEqual([film, 'video/mp4']);
		const start = asked('POST').at(-1) ?? expect.fail();
		expect(start.path).toBe('/v1/models/a/b/predictions');
		expect(start.headers).toMatchObject({ authorization: 'Bearer the-token', 'idempotency-key': 'key-of-the-attempt' });
		expect(jsonOf(start).input).toEqual({
			...{ prompt: 'a lake', size: '1280x720', duration: 4, seed: 0x7fff_fff0 },
			image: `data:image/png;base64,${Buffer.from('png').toString('base64')}`,
		});
		expect(tokens.map((token) => JSON.parse(token).operation)).toEqual([{ getUrl: `${server.url}/v1/predictions/0` }]);
		// The provider tells no percent.
		expect(progress).toEqual([]);
	});

	test('has its ratio of sides where the config asks for it', async () => {
		await (await attempt(aiSdk.video({ ...named, aspectRatio: true }))).result;
		expect(jsonOf(asked('POST').at(-1) ?? expect.fail()).input).toMatchObject({ aspect_ratio: '16:9' });
	});

	test('goes on after a restart, and is not paid for again', async () => {
		const first = await attempt();
		await first.result;
		const second = await attempt(undefined, { resume: first.tokens[0] ?? '' });
		expect(Buffer.from((await second.result).body as Uint8Array)).toEqual(film);
		expect([predictions.begun, second.tokens]).toEqual([1, []]);
	});

	test('that was aborted while it started has its checkpoint', async () => {
		const leave = new AbortController();
		const started = Promise.withResolvers<void>();
		instead.start = [
			async (response, request) => {
				leave.abort(new Error('stopping'));
				await started.promise;
				predictions.script(response, request);
			},
		];
		const { result, tokens } = await attempt(undefined, { signal: leave.signal });
		await eventually('the start is under way', () => leave.signal.aborted);
		started.resolve();
		await expect(result).rejects.toThrow('stopping');
		await eventually('the checkpoint is written', () => tokens.length === 1);
		expect([predictions.begun, asked('POST').at(-1)?.isAborted()]).toEqual([1, false]);
	});

	test('outlives a provider that cannot be asked for a while', async () => {
		instead.status = [
			failure(503, {}),
			(response) => response.destroy(),
			failure(429, {}, { 'retry-after': '1' }),
			jsonResponse({ no: 'prediction' }),
		];
		expect((await (await attempt()).result).mediaType).toBe('video/mp4');
	});

	test('fails when the provider is away for too long', async () => {
		instead.status = Array.from({ length: 400 }, () => failure(503, {}));
		const { result } = await attempt(aiSdk.video(named));
		expect(await failureOf(result)).toMatchObject({ status: 503, code: 'model_unavailable' });
	});

	test.each([
		['has forgotten it', 'status', failure(404, {}), 'replicate.video failed with 404'],
		['refuses the key', 'start', failure(401, {}), 'replicate.video failed with 401'],
		['gives it up', 'status', jsonResponse({ id: '0', status: 'canceled', urls: { get: '' } }), ''],
		['has lost the file', 'file', failure(404, {}), `the file at ${new URL(server.url).host} cannot be read: 404`],
	])('fails when the provider %s', async (_, place, script, log) => {
		instead[place] = [script];
		const failed = await failureOf((await attempt()).result);
		expect(failed).toMatchObject({ status: 502, code: 'model_error' });
		expect(failed.log).toContain(log);
		expect(failed.message).not.toContain(server.url);
	});

	test('tells the client why it failed, without addresses', async () => {
		const error = `NSFW content at ${server.url}/x?token=1 detected`;
		instead.status = [jsonResponse({ id: '0', status: 'failed', error, urls: { get: '' } })];
		const { message, status } = await failureOf((await attempt()).result);
		expect(status).toBe(502);
		expect(message).toContain('NSFW content at the provider detected');
		expect(message).not.toContain('token');
	});

	test('a download that breaks off is repeated', async () => {
		instead.file = [cut('a fi', 'video/mp4'), failure(502, {}), cut('', 'video/mp4')];
		expect(Buffer.from((await (await attempt()).result).body as Uint8Array)).toEqual(film);
		expect(predictions.begun).toBe(1);
	});

	test('a cancelled job asks no more', async () => {
		predictions = new Predictions(() => film, [{ status: 'processing' }]);
		const leave = new AbortController();
		const { result, model } = await attempt(undefined, { signal: leave.signal });
		const { length } = asked('GET');
		await eventually('it has been asked for', () => asked('GET').length > length + 2);
		leave.abort(new Error('cancelled'));
		await expect(result).rejects.toThrow('cancelled');
		const after = asked('GET').length;
		await new Promise((resolve) => setImmediate(resolve));
		expect([asked('GET').length, model.cancel]).toEqual([after, undefined]);
	});
});

describe('where files come from', () => {
	/** A model whose file lies at an address. */
	const videoAt = (url: string): Experimental_VideoModelV4 => ({
		...{ specificationVersion: 'v4', provider: 'far.video', modelId: 'm', maxVideosPerCall: 1 },
		doGenerate: async () => ({
			videos: [{ type: 'url', url, mediaType: 'video/mp4' }],
			warnings: [{ type: 'unsupported', feature: 'duration', details: 'Always 5 seconds.' }],
			response: { timestamp: new Date(), modelId: 'm', headers: undefined },
		}),
	});

	test('a private address is not fetched', async () => {
		const { length } = server.requests;
		const failed = await failureOf((await attempt(aiSdk.video(videoAt(`${server.url}/v1/files/0`)))).result);
		expect(failed).toMatchObject({ status: 502, code: 'model_error', log: expect.stringContaining('https') });
		expect(server.requests).toHaveLength(length);
	});

	test('an origin that the operator has named is fetched', async () => {
		instead.file = [bytes(film, 'video/mp4')];
		const model = videoAt(`${server.url}/v1/files/0`);
		const { result } = await attempt(aiSdk.video({ model, resultOrigins: [server.url] }));
		expect(await result).toMatchObject({ body: film, warnings: ['duration: Always 5 seconds.'] });
	});

	test('a redirect from there into another private place is not followed', async () => {
		const inner = await scriptedUpstream(bytes(film, 'video/mp4'), { onTestFinished });
		instead.file = [(response) => response.writeHead(302, { location: `${inner.url}/secret` }).end()];
		const model = videoAt(`${server.url}/v1/files/0`);
		const { result } = await attempt(aiSdk.video({ model, resultOrigins: [server.url] }));
		expect(await failureOf(result)).toMatchObject({ status: 502, code: 'model_error' });
		expect(inner.requests).toHaveLength(0);
	});

	test.each([
		['binary', new Uint8Array(film)],
		['base64', film.toString('base64')],
	] as const)('%s needs no address', async (type, data) => {
		const { doGenerate, ...model } = videoAt('');
		const response = { timestamp: new Date(), modelId: 'm', headers: undefined };
		const video = { type, data, mediaType: 'video/mp4' } as { type: 'base64'; data: string; mediaType: string };
		const { result } = await attempt(
			aiSdk.video({ ...model, doGenerate: async () => ({ videos: [video], warnings: [], response }) }),
		);
		expect(Buffer.from((await result).body as Uint8Array)).toEqual(film);
	});
});

describe('a video of a provider of version 3', () => {
	const old = () =>
		aiSdk.video({
			model: createReplicate(options).video('a/b'),
			providerOptions: { replicate: { pollIntervalMs: 1 } },
			resultOrigins: [server.url],
		});

	test('is made by one call, without a checkpoint', async () => {
		const { result, tokens } = await attempt(old());
		expect(Buffer.from((await result).body as Uint8Array)).toEqual(film);
		expect(tokens).toEqual([]);
	});

	test('an abort is heeded although the package waits', async () => {
		predictions = new Predictions(() => film, [{ status: 'processing' }]);
		const leave = new AbortController();
		const slow = aiSdk.video({
			model: createReplicate(options).video('a/b'),
			providerOptions: { replicate: { pollIntervalMs: 60_000 } },
		});
		const { result } = await attempt(slow, { signal: leave.signal });
		await eventually('it has begun', () => predictions.begun === 1);
		leave.abort(new Error('cancelled'));
		await expect(result).rejects.toThrow('cancelled');
	});

	test('fails in our terms', async () => {
		instead.status = [jsonResponse({ id: '0', status: 'failed', error: 'out of memory', urls: { get: '' } })];
		const failed = await failureOf((await attempt(old())).result);
		expect(failed).toMatchObject({ status: 502, log: expect.stringContaining('out of memory') });
	});
});
