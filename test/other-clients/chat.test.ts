import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { OpenAI as LlamaOpenAI } from '@llamaindex/openai';
import { documentReader } from '@plinth/documents';
import { generateObject, generateText, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { reportPdf } from '../../cli/src/demo/report-pdf.ts';
import { question, quoted } from '../clients/chat-suite.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const pdf = reportPdf();
const base64 = Buffer.from(pdf).toString('base64');

let served: Served;

beforeAll(async () => {
	served = await serveEmbedded({ backends: { documents: documentReader({ workers: 1 }) } });
});

afterAll(() => served?.stop());

const providers = [
	{
		name: '@ai-sdk/openai',
		chatModel: (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: keyA }).chat('builtin-chat'),
	},
	{
		name: '@ai-sdk/openai-compatible',
		chatModel: (url: string) =>
			createOpenAICompatible({
				name: 'plinth',
				baseURL: `${url}/v1`,
				apiKey: keyA,
				supportsStructuredOutputs: true,
			}).chatModel('builtin-chat'),
	},
];

describe.each(providers)('chat with the AI SDK through $name', ({ chatModel }) => {
	const messages = [
		{
			role: 'user' as const,
			content: [
				{ type: 'text' as const, text: question },
				{ type: 'file' as const, data: pdf, mediaType: 'application/pdf', filename: 'report.pdf' },
			],
		},
	];

	test('answers from an attached PDF', async () => {
		const { text, finishReason } = await generateText({ model: chatModel(served.url), messages });
		expect(text).toMatch(quoted);
		expect(finishReason).toBe('stop');
	});

	test('streams a response', async () => {
		const { textStream } = streamText({ model: chatModel(served.url), messages });
		const pieces: string[] = [];
		for await (const piece of textStream) pieces.push(piece);
		expect(pieces.join('')).toMatch(quoted);
		expect(pieces.length).toBeGreaterThan(5);
	});

	test('answers with JSON of a schema', async () => {
		const schema = z.object({ answer: z.string() });
		const { object } = await generateObject({ model: chatModel(served.url), messages, schema });
		expect(object).toEqual({ answer: expect.any(String) });
	});
});

describe('chat with LangChain', () => {
	const ask = () => {
		const model = new ChatOpenAI({
			model: 'builtin-chat',
			apiKey: keyA,
			configuration: { baseURL: `${served.url}/v1` },
		});
		const file = {
			type: 'file',
			source_type: 'base64',
			mime_type: 'application/pdf',
			data: base64,
			metadata: { filename: 'report.pdf' },
		};
		return {
			model,
			message: new HumanMessage({ content: [{ type: 'text', text: question }, file] }),
		};
	};

	test('answers from an attached PDF', async () => {
		const { model, message } = ask();
		const answer = await model.invoke([message]);
		expect(answer.content).toMatch(quoted);
		expect(answer).toMatchObject({ usage_metadata: { output_tokens: expect.any(Number) } });
	});

	test('streams a response', async () => {
		const { model, message } = ask();
		let text = '';
		for await (const { content } of await model.stream([message])) text += content;
		expect(text).toMatch(quoted);
	});
});

describe('chat with LlamaIndex', () => {
	const ask = () => ({
		model: new LlamaOpenAI({ model: 'builtin-chat', apiKey: keyA, baseURL: `${served.url}/v1` }),
		messages: [
			{
				role: 'user' as const,
				content: [
					{ type: 'text' as const, text: question },
					{ type: 'file' as const, data: base64, mimeType: 'application/pdf' },
				],
			},
		],
	});
	const found = /reservoir gave more water than it received[\s\S]*, page 1/;

	test('answers from an attached PDF', async () => {
		const { model, messages } = ask();
		expect((await model.chat({ messages })).message.content).toMatch(found);
	});

	test('streams a response', async () => {
		const { model, messages } = ask();
		let text = '';
		for await (const { delta } of await model.chat({ messages, stream: true })) text += delta;
		expect(text).toMatch(found);
	});
});
