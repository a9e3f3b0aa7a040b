import { chat } from '@plinth/plugin-chat';
import {
	errorOf,
	eventResponse,
	jsonOf,
	jsonResponse,
	scriptedUpstream,
	testApp,
	type UpstreamScript,
} from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openai } from '../src/index.ts';
import { chunk } from './chat-calls.ts';

const token = { token: 'Hi.', logprob: -0.1, bytes: [72, 105, 46], top_logprobs: [] };
const choice = { index: 0, logprobs: { content: [token], refusal: null }, finish_reason: 'stop' };

/** Answers with JSON or with a stream, as requested. */
const upstreamScript: UpstreamScript = (response, request) => {
	const { stream } = JSON.parse(request.body.toString());
	if (!stream) {
		return jsonResponse({ choices: [{ ...choice, message: { role: 'assistant', content: 'Hi.' } }] })(
			response,
			request,
		);
	}
	return eventResponse(
		{ choices: [{ ...choice, delta: { content: 'Hi.' } }] },
		chunk({}, 'stop'),
		'[DONE]',
	)(response, request);
};

interface Answer {
	readonly choices: readonly { readonly message: object; readonly logprobs: unknown }[];
	readonly warnings?: readonly string[];
}

/** An app with a chat model whose upstream is scripted. */
async function createApp(options: object, script = upstreamScript) {
	const upstream = await scriptedUpstream(script, { onTestFinished });
	const model = openai.chat({ baseURL: `${upstream.url}/v1`, retries: 0, ...options });
	const app = await testApp({
		realTime: true,
		models: { mine: model },
		plugins: { chat: chat() },
		onTestFinished,
	});
	const ask = (fields: object) =>
		app.post('/v1/chat/completions', { model: 'mine', messages: [{ role: 'user', content: 'Hello?' }], ...fields });
	const sent = (): Record<string, unknown>[] => upstream.requests.map(({ body }) => JSON.parse(body.toString()));
	return { ask, sent };
}

const known: Readonly<Record<string, object>> = {
	openai: {
		logit_bias: { 50256: -100 },
		metadata: { job: 'a' },
		prediction: { type: 'content', content: 'x' },
		safety_identifier: 'u',
		service_tier: 'flex',
		store: false,
		verbosity: 'low',
		web_search_options: {},
	},
	'vllm-omni': { logit_bias: { 1: 1 }, top_k: 4, chat_template_kwargs: { enable_thinking: false } },
	sglang: { logit_bias: { 1: 1 }, top_k: 4, chat_template_kwargs: { enable_thinking: false } },
	localai: { logit_bias: { 1: 1 }, top_k: 4 },
	llamacpp: { logit_bias: { 1: 1 }, top_k: 4, chat_template_kwargs: { enable_thinking: false } },
};

describe('members that the plugin does not interpret', () => {
	// `forward: false` translates each request.
	test.each(Object.keys(known).flatMap((dialect) => [true, false].map((forward) => [dialect, forward] as const)))(
		'reach %s, forward: %s',
		async (dialect, forward) => {
			const { ask, sent } = await createApp({ dialect, forward });
			const { choices, warnings } = await jsonOf<Answer>(await ask({ ...known[dialect] }));
			expect(choices[0]?.message).toMatchObject({ content: 'Hi.' });
			expect(warnings).toBe(undefined);
			expect(sent()).toHaveLength(1);
			expect(sent()[0]).toMatchObject(known[dialect] ?? {});
		},
	);

	test('cause warnings when the dialect does not know them', async () => {
		const { ask, sent } = await createApp({});
		const { warnings } = await jsonOf<Answer>(await ask({ top_k: 4, store: true }));
		expect(warnings).toEqual(['top_k: the model does not support this parameter.']);
		expect(sent()[0]).toMatchObject({ store: true });
		expect(sent()[0]).not.toHaveProperty('top_k');
	});

	test.each([true, false])('are passed on when passMembers lists them, with forward: %s', async (forward) => {
		const { ask, sent } = await createApp({ passMembers: ['top_k', 'guided_choice'], forward });
		const members = { top_k: 4, guided_choice: ['yes', 'no'] };
		expect((await jsonOf<Answer>(await ask(members))).warnings).toBe(undefined);
		expect(sent()[0]).toMatchObject(members);
	});

	test('are not passed on when the config sets or removes them', async () => {
		const { ask, sent } = await createApp({ body: { store: null, service_tier: 'default' } });
		const { warnings } = await jsonOf<Answer>(await ask({ store: true, service_tier: 'priority', verbosity: 'low' }));
		expect(warnings).toEqual([
			'store: the model does not support this parameter.',
			'service_tier: the model does not support this parameter.',
		]);
		expect(sent()[0]).toMatchObject({ service_tier: 'default', verbosity: 'low' });
		expect(sent()[0]).not.toHaveProperty('store');
	});

	test('are named in the error when the server rejects them', async () => {
		const refusing = jsonResponse({ error: { message: 'No such token.', param: 'logit_bias' } }, 400);
		const { ask } = await createApp({}, refusing);
		expect(await errorOf(await ask({ logit_bias: { x: 1 } }))).toMatchObject({ status: 400, param: 'logit_bias' });
	});

	test('do not replace members that the plugin interprets', async () => {
		const { ask, sent } = await createApp({ passMembers: ['stream', 'seed', 'messages'], forward: false });
		await jsonOf(await ask({ seed: 3 }));
		expect(sent()[0]).toMatchObject({ seed: 3, messages: [{ content: 'Hello?' }] });
	});
});

describe('log probabilities', () => {
	test.each([true, false])('are requested and returned, with forward: %s', async (forward) => {
		const { ask, sent } = await createApp({ forward });
		const { choices } = await jsonOf<Answer>(await ask({ logprobs: true, top_logprobs: 2 }));
		expect(choices[0]?.logprobs).toEqual({ content: [token], refusal: null });
		expect(sent()[0]).toMatchObject({ logprobs: true, top_logprobs: 2 });
	});

	test.each([true, false])('are part of the stream, with forward: %s', async (forward) => {
		const { ask } = await createApp({ forward });
		const text = await (await ask({ logprobs: true, stream: true })).text();
		expect(text).toContain(`"logprobs":{"content":[${JSON.stringify(token)}],"refusal":null}`);
	});

	test('are not requested unless the client asks for them', async () => {
		const { ask, sent } = await createApp({ forward: false });
		const { choices } = await jsonOf<Answer>(await ask({}));
		expect(choices[0]?.logprobs).toBe(null);
		expect(sent()[0]).not.toHaveProperty('logprobs');
	});
});

test.each([['a member'], ['a'.repeat(101)], ['']])('"%s" is no valid name in passMembers', async (name) => {
	await expect(createApp({ passMembers: [name] })).rejects.toThrow('passMembers');
});
