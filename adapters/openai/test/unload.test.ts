import { jsonResponse, scriptedUpstream } from '@plinth/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../src/index.ts';
import { failureOf, modelOf } from './harness.ts';

const kinds = {
	chat: openai.chat,
	image: openai.image,
	speech: openai.speech,
	transcription: openai.transcription,
	video: openai.video,
};

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
	'a %s model is unloaded by the request of the config',
	async (kind) => {
		const server = await scriptedUpstream(jsonResponse({}), { onTestFinished });
		const baseURL = `${server.url}/v1`;
		const unload = { path: '/api/generate', body: { model: 'm', keep_alive: 0 } };
		const model = await modelOf<{ unload?(): Promise<void> }>(
			kinds[kind]({ baseURL, apiKey: 'sk-x', unload }) as never,
		);
		await model.unload?.();
		expect(server.requests).toMatchObject([{ method: 'POST', path: '/api/generate' }]);
		expect(JSON.parse(`${server.requests[0]?.body}`)).toEqual(unload.body);
		expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-x');
		const other = await modelOf<{ unload?(): Promise<void> }>(kinds[kind]({ baseURL }) as never);
		expect(other.unload).toBeUndefined();
	},
);

test('a server that rejects the unload request causes an error', async () => {
	const server = await scriptedUpstream(jsonResponse({ error: { message: 'no' } }, 400), {
		onTestFinished,
	});
	const model = await modelOf(openai.chat({ baseURL: `${server.url}/v1`, unload: { path: '/sleep' } }));
	expect(await failureOf(Promise.resolve(model.unload?.()))).toMatchObject({ status: 502 });
});
