import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Sdk } from './sdk.ts';

/** The fixture of one run of the suite. */
export interface ChatSubject {
	readonly client: Sdk;
	/** The helper of the SDK for responses with a zod schema. */
	readonly zodResponseFormat: typeof import('openai/helpers/zod').zodResponseFormat;
	/** A data URL of a PDF that states when the reservoir gave more water than it received. */
	readonly pdf: string;
}

const model = 'builtin-chat';

/** The sentence in the attached document, with its position. */
export const quoted = /reservoir gave more water than it received[\s\S]*report\.pdf, page 1/;

/** A question whose answer is one sentence of the document. */
export const question = 'Quote the sentence with "reservoir".';

/** All supported chat features, with one SDK line. */
export function chatsLikeOpenAI(subject: () => ChatSubject): void {
	const asked = (text: string) => [
		{
			role: 'user' as const,
			content: [
				{ type: 'file' as const, file: { filename: 'report.pdf', file_data: subject().pdf } },
				{ type: 'text' as const, text },
			],
		},
	];

	test('answers from an attached PDF', async () => {
		const { choices, usage } = await subject().client.chat.completions.create({
			model,
			messages: asked(question),
		});
		expect(choices[0]?.message.content).toMatch(quoted);
		expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { refusal: null } });
		expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
	});

	test('streams a response', async () => {
		const stream = await subject().client.chat.completions.create({
			model,
			messages: asked(question),
			stream: true,
			stream_options: { include_usage: true },
		});
		const chunks = [];
		for await (const chunk of stream) chunks.push(chunk);
		const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
		expect(text).toMatch(quoted);
		expect(chunks.length).toBeGreaterThan(5);
		expect(chunks.at(-1)).toMatchObject({
			choices: [],
			usage: { total_tokens: expect.any(Number) },
		});
	});

	test('is assembled by the stream helper', async () => {
		const runner = subject().client.chat.completions.stream({
			model,
			messages: asked(question),
			n: 2,
		});
		const { choices } = await runner.finalChatCompletion();
		expect(choices.map(({ finish_reason: reason }) => reason)).toEqual(['stop', 'stop']);
		for (const { message } of choices) expect(message.content).toMatch(quoted);
	});

	test('answers with JSON of a schema', async () => {
		const reply = z.object({ answer: z.string(), pages: z.array(z.number()) });
		const { choices } = await subject().client.chat.completions.parse({
			model,
			messages: asked('What did the reservoir give?'),
			response_format: subject().zodResponseFormat(reply, 'reply'),
		});
		expect(reply.safeParse(choices[0]?.message.parsed).success).toBe(true);
	});

	test('runs tools until there is a final answer', async () => {
		const called: unknown[] = [];
		const runner = subject().client.chat.completions.runTools({
			model,
			messages: [{ role: 'user', content: 'Call get_weather with {"city": "Paris"}' }],
			tools: [
				{
					type: 'function',
					function: {
						name: 'get_weather',
						description: 'The weather of a city.',
						parse: JSON.parse,
						parameters: {
							type: 'object',
							properties: { city: { type: 'string' } },
							required: ['city'],
						},
						function: (sent: object) => {
							called.push(sent);
							return '17 degrees and rain';
						},
					},
				},
			],
		});
		expect(await runner.finalContent()).toContain('17 degrees and rain');
		expect(called).toEqual([{ city: 'Paris' }]);
	});

	test('raises a failure during the stream as an error with its code', async () => {
		const read = async () => {
			const stream = await subject().client.chat.completions.create({
				model: 'echo-1',
				messages: [{ role: 'user', content: 'fail: the wire broke' }],
				stream: true,
			});
			for await (const _ of stream);
		};
		await expect(read()).rejects.toMatchObject({
			code: 'model_error',
			message: expect.stringContaining('the wire broke'),
		});
	});

	test('refuses an unknown file with the name of the parameter', async () => {
		const call = subject().client.chat.completions.create({
			model,
			messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
		});
		await expect(call).rejects.toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: 'messages[0].content[0].file.file_id',
		});
	});
}
