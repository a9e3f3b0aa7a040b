import { isPlinthError } from '@plinth/core';
import type { ChatEvent, ChatRequest, ChatTool } from '@plinth/plugin-chat/model';
import { expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { answer, hello, textPart } from './chat-calls.ts';
import { type Cell, cellsOf } from './features.ts';
import { modelOf } from './harness.ts';
import { scripted, sse } from './upstream.ts';

type Body = Readonly<Record<string, unknown>>;

/** The request that uses a feature, and the check that the upstream received it. */
interface Probe {
	readonly options?: object;
	readonly request?: Partial<ChatRequest>;
	isSent(body: Body): boolean;
}

const tool = (name: string): ChatTool => ({ name, isStrict: false });
const tools = [tool('first'), tool('second')];
const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const user = (...content: Extract<ChatRequest['messages'][number], { role: 'user' }>['content']) => ({
	messages: [{ role: 'user', content }] as const,
});
const part = (body: Body, type: string): unknown => {
	const [message] = body.messages as { readonly content: readonly { readonly type: string }[] }[];
	return message?.content.find((each) => each.type === type);
};
const has = (value: unknown, expected: unknown) => {
	expect(value).toEqual(expected);
	return true;
};

const probes: Readonly<Record<string, Probe>> = {
	'streamed answers': {
		isSent: (body) => body.stream === true && has(body.stream_options, { include_usage: true }),
	},
	'documents, as text': {
		request: user(
			{
				type: 'document',
				filename: 'a.pdf',
				mediaType: 'application/pdf',
				text: '<file name="a.pdf">42</file>',
				pages: [{ page: 1, text: '42' }],
				hasPages: true,
				pageCount: 1,
				isTruncated: false,
			},
			textPart('How much?'),
		),
		isSent: ({ messages }) => has(messages, [{ role: 'user', content: '<file name="a.pdf">42</file>\n\nHow much?' }]),
	},
	'unconverted files (`files`)': {
		options: { files: ['application/pdf'] },
		request: user({
			type: 'file',
			filename: 'a.pdf',
			mediaType: 'application/pdf',
			source: Buffer.from('%PDF'),
		}),
		isSent: (body) =>
			has(part(body, 'file'), {
				type: 'file',
				file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
			}),
	},
	'images (`images`)': {
		options: { images: true },
		request: user(textPart('What is it?'), {
			type: 'image',
			detail: 'low',
			image: { mediaType: 'image/png', source: png },
		}),
		isSent: (body) =>
			has(part(body, 'image_url'), {
				type: 'image_url',
				image_url: { url: `data:image/png;base64,${png.toString('base64')}`, detail: 'low' },
			}),
	},
	'images by URL (`pictureUrls`)': {
		options: { images: true, pictureUrls: true },
		request: user({ type: 'image', detail: 'auto', image: { url: 'https://example.com/a.png' } }),
		isSent: (body) =>
			has(part(body, 'image_url'), {
				type: 'image_url',
				image_url: { url: 'https://example.com/a.png' },
			}),
	},
	'audio (`audio`)': {
		options: { audio: true },
		request: user({ type: 'audio', format: 'wav', source: Buffer.from('RIFF') }),
		isSent: (body) =>
			has(part(body, 'input_audio'), {
				type: 'input_audio',
				input_audio: { data: 'UklGRg==', format: 'wav' },
			}),
	},
	'`tools`': {
		request: { tools: [{ ...tool('first'), description: 'One.', isStrict: true }] },
		isSent: (body) =>
			has(body.tools, [
				{
					type: 'function',
					function: {
						name: 'first',
						description: 'One.',
						parameters: { type: 'object', properties: {} },
						strict: true,
					},
				},
			]),
	},
	'`tool_choice: "none"`': {
		request: { tools, toolChoice: 'none' },
		isSent: (body) => body.tool_choice === 'none' || !has(body.tools, undefined),
	},
	'`tool_choice: "required"`': {
		request: { tools, toolChoice: 'required' },
		isSent: (body) => body.tool_choice === 'required',
	},
	'`tool_choice` with a name': {
		request: { tools, toolChoice: { name: 'second' } },
		isSent(body) {
			if (body.tool_choice === 'required') {
				return !has(body.tools, [expect.objectContaining({ function: expect.objectContaining({ name: 'second' }) })]);
			}
			return has(body.tool_choice, { type: 'function', function: { name: 'second' } });
		},
	},
	'`parallel_tool_calls: false`': {
		request: { tools, parallelToolCalls: false },
		isSent: (body) => body.parallel_tool_calls === false,
	},
	'`response_format: json_object`': {
		request: { format: { type: 'json' } },
		isSent: (body) => has(body.response_format, { type: 'json_object' }),
	},
	'`response_format: json_schema`': {
		request: { format: { type: 'schema', name: 'r', schema: { type: 'object' }, isStrict: true } },
		isSent: (body) =>
			has(body.response_format, {
				type: 'json_schema',
				json_schema: { name: 'r', schema: { type: 'object' }, strict: true },
			}),
	},
	'`max_completion_tokens`': {
		request: { maxTokens: 9 },
		isSent: (body) => (body.max_completion_tokens ?? body.max_tokens) === 9,
	},
	'`temperature`, `top_p`, penalties': {
		request: { temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1 },
		isSent: ({ temperature, top_p, presence_penalty, frequency_penalty }) =>
			has([temperature, top_p, presence_penalty, frequency_penalty], [0.5, 0.9, 1, -1]),
	},
	'`stop`': { request: { stop: ['END'] }, isSent: ({ stop }) => has(stop, ['END']) },
	'`seed`': { isSent: (body) => body.seed === 7 },
	'`reasoning_effort`': {
		request: { effort: 'low' },
		isSent: (body) => body.reasoning_effort === 'low',
	},
};

test.each(cellsOf('chat'))('%s with %s: %s', async (feature, dialect, expected) => {
	const probe = probes[feature] as Probe;
	expect(await outcome(probe, dialect)).toBe(expected);
});

async function outcome({ options, request, isSent }: Probe, dialect: string): Promise<Cell> {
	const upstream = await scripted(sse(...hello));
	const instance = openai.chat({ baseURL: upstream.baseURL, dialect, ...options } as never);
	if (!instance.definition.config.safeParse(instance.options).success) return '–';
	const model = await modelOf(instance);
	let events: ChatEvent[];
	try {
		events = await answer(model, request);
	} catch (error) {
		if (isPlinthError(error) && error.spec.status === 400) return '400';
		throw error;
	}
	if (events.some(({ type }) => type === 'warning')) return 'warning';
	return isSent(upstream.requests[0]?.json ?? {}) ? 'yes' : 'here';
}
