import { expect, test } from 'vitest';
import type { SdkClass, WatchedClient } from './sdk.ts';
import { model } from './suite.ts';

/** The fixture of one run of the suite. */
export interface Subject {
	readonly OpenAI: SdkClass;
	readonly watched: WatchedClient;
	/** A client with an unknown key. */
	readonly unknownClient: WatchedClient;
}

const unknownId = `video_${'0'.repeat(44)}`;
const requestID = expect.stringMatching(/^req_/);
const type = 'invalid_request_error';

/** Every failure raises the documented error class of the SDK, with all its members, after exactly one request. */
export function failsLikeOpenAI(subject: () => Subject): void {
	const client = () => subject().watched.client;
	const speak = (response_format: string) =>
		client().audio.speech.create({
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Hello.',
			response_format: response_format as 'mp3',
		});

	test('a wrong key is an AuthenticationError', async () => {
		const { OpenAI, unknownClient } = subject();
		const error = await caught(unknownClient.client.models.list());
		expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
		expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type, requestID });
	});

	test('an unknown model is a NotFoundError', async () => {
		const error = await caught(client().videos.create({ model: 'nobody', prompt: 'x' }));
		expect(error).toBeInstanceOf(subject().OpenAI.NotFoundError);
		expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: null, requestID });
	});

	test('retrieving an unknown model is a NotFoundError', async () => {
		const error = await caught(client().models.retrieve('nobody'));
		expect(error).toBeInstanceOf(subject().OpenAI.NotFoundError);
		expect(error).toMatchObject({ status: 404, code: 'model_not_found', type, requestID });
	});

	test('an unknown video is a NotFoundError', async () => {
		const error = await caught(client().videos.retrieve(unknownId));
		expect(error).toBeInstanceOf(subject().OpenAI.NotFoundError);
		expect(error).toMatchObject({ status: 404, param: null, type, requestID });
	});

	test('an unsupported size is a BadRequestError that names the parameter', async () => {
		const size = '1x1' as '720x1280';
		const error = await caught(client().videos.create({ model, prompt: 'x', size }));
		expect(error).toBeInstanceOf(subject().OpenAI.BadRequestError);
		expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'size', requestID });
	});

	test('the error for an unsupported length names its parameter', async () => {
		const seconds = '5' as '4';
		const error = await caught(client().videos.create({ model, prompt: 'x', seconds }));
		expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'seconds' });
	});

	test('an unsupported audio format is a BadRequestError', async () => {
		const error = await caught(speak('midi'));
		expect(error).toBeInstanceOf(subject().OpenAI.BadRequestError);
		expect(error).toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: 'response_format',
			requestID,
		});
	});

	test('an unsupported operation is reported as such', async () => {
		const error = await caught(client().videos.edit({ prompt: 'x', video: { id: unknownId } }));
		expect(error).toBeInstanceOf(subject().OpenAI.NotFoundError);
		expect(error).toMatchObject({ status: 404, code: 'unsupported_operation' });
	});

	test('content that is not ready raises an error after one request', async () => {
		const { sent } = subject().watched;
		const { id } = await client().videos.create({ model: 'held-1', prompt: 'wait' });
		const before = sent.length;
		const error = await caught(client().videos.downloadContent(id));
		expect(error).toBeInstanceOf(subject().OpenAI.NotFoundError);
		expect(sent.length - before).toBe(1);
	});

	test('deleting a video that is being rendered stops it', async () => {
		const { id } = await client().videos.create({ model: 'held-1', prompt: 'wait' });
		expect(await client().videos.delete(id)).toMatchObject({ deleted: true });
		expect(await caught(client().videos.retrieve(id))).toMatchObject({ status: 404 });
	});
}

async function caught(work: PromiseLike<unknown>): Promise<unknown> {
	try {
		await work;
	} catch (error) {
		return error;
	}
	throw new Error('No error was thrown.');
}
