import { errorOf } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { answerOf, chunksOf, events, harness, textEvents } from './harness.ts';

const members = { store: true, metadata: { a: ['b', 1, null] }, top_k: 4, verbosity: null };

describe('members that the plugin does not interpret', () => {
	test('reach a model that lists them, unchanged', async () => {
		const { ask, calls } = await harness({ abilities: { extra: ['store', 'metadata', 'top_k', 'verbosity'] } });
		expect((await answerOf(await ask(members))).warnings).toBe(undefined);
		expect(calls[0]?.request.extra).toEqual({ store: true, metadata: { a: ['b', 1, null] }, top_k: 4 });
	});

	test('cause warnings when the model does not list them', async () => {
		const { ask, calls } = await harness({ abilities: { extra: ['top_k', 'temperature'] } });
		const { warnings } = await answerOf(await ask({ ...members, temperature: 1 }));
		expect(warnings).toEqual([
			'store: the model does not support this parameter.',
			'metadata: the model does not support this parameter.',
		]);
		expect(calls[0]?.request).toMatchObject({ extra: { top_k: 4 }, temperature: 1 });
	});

	test('cause a warning in the last chunk of a stream', async () => {
		const { ask, calls } = await harness();
		const { chunks } = await chunksOf(await ask({ stream: true, store: false }));
		expect(chunks.at(-1)?.warnings).toEqual(['store: the model does not support this parameter.']);
		expect(calls[0]?.request).not.toHaveProperty('extra');
	});

	test('cause at most 32 warnings, each with at most 100 characters of a name', async () => {
		const { ask } = await harness();
		const many = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`${index + 100}`.repeat(60), 1]));
		const { warnings } = await answerOf(await ask(many));
		expect(warnings).toHaveLength(32);
		expect(warnings?.[0]).toMatch(/^(100){33}1: /);
	});

	test('cannot contain a long data URL', async () => {
		const { ask, calls } = await harness({ abilities: { extra: ['metadata'] } });
		const url = `data:;base64,${'A'.repeat(70_000)}`;
		const failure = await errorOf(await ask({ metadata: { url } }));
		expect(failure).toMatchObject({ status: 400, code: 'invalid_value', param: 'metadata' });
		expect(calls).toEqual([]);
	});

	test('reach a fallback model that lists them', async () => {
		const taken: unknown[] = [];
		const { ask } = await harness({
			abilities: { extra: ['store'] },
			stream() {
				throw new Error('broken');
			},
			binding: { fallback: ['second'] },
			others: {
				second: {
					apiVersion: 1,
					abilities: { extra: ['top_k'] },
					stream(request) {
						taken.push(request.extra);
						return textEvents('Here.');
					},
				},
			},
		});
		const { warnings } = await answerOf(await ask({ store: true, top_k: 4 }));
		expect(taken).toEqual([{ top_k: 4 }]);
		expect(warnings).toEqual(['store: the model does not support this parameter.']);
	});
});

describe('log probabilities', () => {
	const token = (text: string) => ({ token: text, logprob: -0.5, bytes: null, top_logprobs: [] });
	const stream = events(
		{ type: 'text', text: 'Hel', logprobs: [token('Hel')] },
		{ type: 'text', text: 'lo. Bye', logprobs: [token('lo.'), token(' Bye')] },
	);
	const abilities = { logprobs: true };

	test('are part of an answer', async () => {
		const { ask, calls } = await harness({ abilities, stream });
		const { choices, warnings } = await answerOf(await ask({ logprobs: true, top_logprobs: 2 }));
		expect(choices[0]).toMatchObject({
			message: { content: 'Hello. Bye' },
			logprobs: { content: [token('Hel'), token('lo.'), token(' Bye')], refusal: null },
		});
		expect(warnings).toBe(undefined);
		expect(calls[0]?.request.topLogprobs).toBe(2);
	});

	test('are part of the chunks of a stream', async () => {
		const { ask } = await harness({ abilities, stream });
		const { chunks } = await chunksOf(await ask({ logprobs: true, stream: true }));
		expect(chunks.flatMap(({ choices }) => choices)).toMatchObject([
			{ delta: { role: 'assistant' }, logprobs: null },
			{ delta: { content: 'Hel' }, logprobs: { content: [token('Hel')] } },
			{ delta: { content: 'lo. Bye' }, logprobs: { content: [token('lo.'), token(' Bye')] } },
			{ finish_reason: 'stop', logprobs: null },
		]);
	});

	test.each([
		['they are not requested', {}, ['Hel', 'lo. Bye']],
		['a stop sequence cuts the text', { logprobs: true, stop: 'lo' }, ['Hel']],
	])('are omitted when %s', async (_, fields, texts) => {
		const { ask } = await harness({ abilities, stream });
		const { choices } = await answerOf(await ask(fields));
		const left = 'logprobs' in fields ? { content: [token('Hel')], refusal: null } : null;
		expect(choices[0]).toMatchObject({ message: { content: texts.join('') }, logprobs: left });
	});

	test('are not requested from a model that reports none', async () => {
		const { ask, calls } = await harness();
		const { warnings } = await answerOf(await ask({ logprobs: true, top_logprobs: 2 }));
		expect(warnings).toEqual(['logprobs: the model does not report them.']);
		expect(calls[0]?.request).not.toHaveProperty('topLogprobs');
	});

	test('in an invalid form are an error of the model', async () => {
		const { ask } = await harness({ abilities, stream: events({ type: 'text', text: 'a', logprobs: 'b' }) });
		expect(await errorOf(await ask({ logprobs: true }))).toMatchObject({ status: 502, code: 'model_error' });
	});
});
