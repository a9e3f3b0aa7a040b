import { errorOf, eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { chunksOf, events, harness, textEvents, tool } from './harness.ts';

const streamed = { stream: true };

describe('a streamed answer', () => {
	test('begins with the role and ends with a finish reason and [DONE], under one id', async () => {
		const { ask } = await harness();
		const answer = await ask(streamed);
		expect(answer.headers.get('content-type')).toBe('text/event-stream');
		const { chunks, isDone } = await chunksOf(answer);
		expect(isDone).toBe(true);
		expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
		expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
		expect(chunks[0]).toEqual({
			id: expect.stringMatching(/^chatcmpl-/),
			object: 'chat.completion.chunk',
			created: expect.any(Number),
			model: 'fake-1',
			system_fingerprint: expect.stringMatching(/^fp_/),
			choices: [
				{
					index: 0,
					delta: { role: 'assistant', content: '', refusal: null },
					logprobs: null,
					finish_reason: null,
				},
			],
		});
		expect(chunks.slice(1).map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason])).toEqual([
			[{ content: 'Hello ' }, null],
			[{ content: 'there.' }, null],
			[{}, 'stop'],
		]);
	});

	test('has its usage in a chunk of its own when requested', async () => {
		const { ask } = await harness();
		const { chunks } = await chunksOf(
			await ask({
				...streamed,
				stream_options: { include_usage: true, include_obfuscation: false },
			}),
		);
		expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
		expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
	});

	test('has its warnings in the last chunk', async () => {
		const { ask } = await harness({
			stream: events({ type: 'warning', message: 'w' }, { type: 'text', text: 'a' }),
		});
		const { chunks } = await chunksOf(await ask({ ...streamed, logprobs: true }));
		expect(chunks.at(-1)?.warnings).toEqual(['logprobs: the model does not report them.', 'w']);
		expect(chunks.filter(({ warnings }) => warnings)).toHaveLength(1);
	});

	test('has a warning for each unknown member', async () => {
		const { ask } = await harness();
		const { chunks } = await chunksOf(await ask({ ...streamed, stream_options: { include_usag: true } }));
		expect(chunks.flatMap(({ warnings = [] }) => warnings)).toEqual([
			'stream_options.include_usag: the server does not know this parameter and ignored it. Did you mean include_usage?',
		]);
	});

	test('has each warning once, even if several choices cause it', async () => {
		const { ask } = await harness({
			stream: events({ type: 'warning', message: 'w' }, { type: 'text', text: 'a' }),
		});
		const { chunks } = await chunksOf(await ask({ ...streamed, n: 4 }));
		expect(chunks.flatMap(({ warnings = [] }) => warnings)).toEqual(['w']);
	});

	test('interleaves its choices, each with a beginning and an end', async () => {
		const { ask } = await harness({ stream: (_, { seed }) => textEvents(`${seed}a`, `${seed}b`) });
		const { chunks } = await chunksOf(await ask({ ...streamed, n: 3, seed: 0 }));
		const parts = chunks.flatMap(({ choices }) => choices);
		for (const index of [0, 1, 2]) {
			const own = parts.filter((choice) => choice.index === index);
			expect(own[0]?.delta.role).toBe('assistant');
			expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(`${index}a${index}b`);
			expect(own.map(({ finish_reason: reason }) => reason).at(-1)).toBe('stop');
		}
		const order = parts.map(({ index }) => index).join('');
		expect(order.indexOf('1')).toBeLessThan(order.lastIndexOf('0'));
	});

	test('sends each piece immediately', async () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const { ask } = await harness({
			async *stream() {
				yield { type: 'text', text: 'first' };
				await promise;
				yield { type: 'text', text: 'second' };
			},
		});
		const reader = (await ask(streamed)).body?.pipeThrough(new TextDecoderStream()).getReader();
		let seen = '';
		while (!seen.includes('first')) seen += (await reader?.read())?.value ?? '';
		expect(seen).not.toContain('second');
		resolve();
		while (!seen.includes('[DONE]')) seen += (await reader?.read())?.value ?? '';
		expect(seen).toContain('second');
	});

	test('has the reasoning and the refusal of the model', async () => {
		const { ask } = await harness({
			stream: events({ type: 'reasoning', text: 'Hmm.' }, { type: 'refusal', text: 'No.' }),
		});
		const { chunks } = await chunksOf(await ask(streamed));
		const deltas = chunks.map(({ choices }) => choices[0]?.delta);
		expect(deltas).toContainEqual({ reasoning_content: 'Hmm.' });
		expect(deltas).toContainEqual({ refusal: 'No.' });
	});
});

describe('a failure of the model', () => {
	test('before the first piece is an error status', async () => {
		const { ask } = await harness({ stream: events({ type: 'warning', message: 'w' }) });
		expect(await errorOf(await ask(streamed))).toMatchObject({ status: 502, code: 'model_error' });
	});

	test('after the first piece is an error frame, which ends the stream', async () => {
		const { ask } = await harness({
			async *stream() {
				yield { type: 'text', text: 'a' };
				throw new Error('secret');
			},
		});
		const { chunks, isDone } = await chunksOf(await ask(streamed));
		expect(isDone).toBe(false);
		expect(chunks.at(-1)?.error).toMatchObject({ code: 'model_error' });
		expect(JSON.stringify(chunks)).not.toContain('secret');
	});

	test('occurs when the arguments of a tool call are no JSON', async () => {
		const call = { type: 'tool_call', index: 0, name: 'now', arguments: '{' };
		const { ask } = await harness({ stream: events(call) });
		const { chunks, isDone } = await chunksOf(await ask({ ...streamed, tools: [tool('now')] }));
		expect([chunks.at(-1)?.error?.code, isDone]).toEqual(['model_error', false]);
	});
});

test('a client that disconnects aborts the model', async () => {
	const { ask, calls } = await harness({
		async *stream() {
			yield { type: 'text', text: 'a' };
			await new Promise(() => {});
		},
	});
	const controller = new AbortController();
	const answer = await ask(streamed, { signal: controller.signal });
	await answer.body?.getReader().read();
	controller.abort();
	await eventually('the model is aborted', () => calls[0]?.run.signal.aborted === true, 1_000);
	expect(calls).toHaveLength(1);
});
