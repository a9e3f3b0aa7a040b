import type { ChatEvent, ChatModel, ChatRequest } from '@plinth/plugin-chat/model';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, question, quiet, shell } from './harness.ts';

let harness: Harness;
/** The model has no state between requests. */
let sharedModel: Promise<ChatModel>;

beforeAll(async () => {
	harness = await createHarness();
	sharedModel = json(scriptedProgram, { tools: true, json: 'schema' });
});

afterAll(() => harness.remove());

const printLines = (...messages: object[]) => messages.map((message) => `echo '${JSON.stringify(message)}'`).join('; ');

const call = (name: string, text: string) =>
	printLines({ type: 'tool_call', index: 0, id: 'call_1', name, arguments: text });

const described = '{"answer":"42 EUR","isPaid":false,"kind":"bill","items":[]}';

/** A scripted chat program that chooses its reply by patterns in the request line. */
const scriptedProgram = `
case $(cat) in
	*'"toolChoice":"required"'* | *'"toolChoice":{"name":"convert_currency"}'*)
		${call('convert_currency', '{"amount":42,"currency":"EUR"}')} ;;
	*'"toolChoice":{"name":"get_time"}'*) ${call('get_time', '{}')} ;;
	*'"format":{"type":"text"}'*)
		${printLines({ type: 'reasoning', text: 'Hm.' }, { type: 'delta', text: 'The total ' })}
		${printLines({ type: 'delta', text: 'is 42 EUR.' })} ;;
	*) ${printLines({ type: 'delta', text: described })} ;;
esac
${printLines({ type: 'result' })}
`;

function json(script: string, options: object = {}): Promise<ChatModel> {
	return harness.make(command.chat, { protocol: 'json', argv: shell(script), ...options });
}

function plain(script: string, args: readonly (string | string[])[] = []): Promise<ChatModel> {
	const argv = [...shell(script), ...args];
	return harness.make(command.chat, { protocol: 'plain', argv });
}

async function answer(model: ChatModel, request: ChatRequest = question('Who?')): Promise<ChatEvent[]> {
	const { signal } = new AbortController();
	const events: ChatEvent[] = [];
	for await (const event of model.stream(request, { signal, seed: 7, log: quiet })) {
		events.push(event);
	}
	return events;
}

const words = (events: readonly ChatEvent[]) =>
	events.map((event) => (event.type === 'text' ? event.text : '')).join('');

describe('a program of the JSON protocol conforms as a chat model:', () => {
	for (const { name, run } of chatModelSuite({
		create: async () => ({ model: await sharedModel, close: () => harness.clean() }),
		supports: { deterministic: true },
	})) {
		test(name, run, 60_000);
	}
});

describe('a program of the JSON protocol', () => {
	test('gets the messages and their parts; files are in its working directory', async () => {
		const model = await json(
			`printf '{"type":"delta","text":"%s"}\\n' $(base64 -w0); ${printLines({ type: 'result' })}`,
			{
				images: true,
			},
		);
		const request: ChatRequest = {
			...question(''),
			messages: [
				{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
				{
					role: 'user',
					content: [
						{
							type: 'document',
							filename: 'a.txt',
							mediaType: 'text/plain',
							text: '<file>A</file>',
							pages: [{ page: 1, text: 'A' }],
							hasPages: false,
							pageCount: 1,
							isTruncated: false,
						},
						{
							type: 'image',
							detail: 'auto',
							image: { mediaType: 'image/png', source: new Uint8Array([1]) },
						},
						{ type: 'audio', format: 'wav', source: new Uint8Array([2]) },
					],
				},
			],
			maxTokens: 9,
		};
		const asked = JSON.parse(Buffer.from(words(await answer(model, request)), 'base64').toString());
		expect(asked).toMatchObject({ kind: 'chat', version: 1, seed: 7, maxTokens: 9 });
		expect(asked.messages[1].content).toEqual([
			{
				type: 'document',
				filename: 'a.txt',
				mediaType: 'text/plain',
				text: '<file>A</file>',
				hasPages: false,
				pageCount: 1,
				isTruncated: false,
			},
			{ type: 'image', detail: 'auto', mediaType: 'image/png', file: 'file-2-2' },
			{ type: 'audio', format: 'wav', file: 'file-2-3' },
		]);
	});

	test('ends its answer with a finish reason and the usage', async () => {
		const usage = { promptTokens: 3, completionTokens: 1 };
		const model = await json(printLines({ type: 'delta', text: 'So' }, { type: 'result', finish: 'length', usage }));
		expect(await answer(model)).toEqual([
			{ type: 'text', text: 'So' },
			{ type: 'finish', reason: 'length', usage },
		]);
	});

	test('ends the stream with an error when it fails in the middle of its answer', async () => {
		const model = await json(`${printLines({ type: 'delta', text: 'So' })}; exit 9`);
		const events = model.stream(question('Who?'), {
			signal: new AbortController().signal,
			seed: 7,
			log: quiet,
		});
		const iterator = events[Symbol.asyncIterator]();
		expect(await iterator.next()).toMatchObject({ value: { type: 'text', text: 'So' } });
		await expect(iterator.next()).rejects.toMatchObject({
			message: 'The program behind this model ended with exit code 9.',
		});
	});

	test('emits at most 32 warnings', async () => {
		const model = await json(
			`yes '{"type":"warning","message":"Again."}' | head -n 100; ${printLines({ type: 'delta', text: 'x' }, { type: 'result' })}`,
		);
		const events = await answer(model);
		expect(events.filter(({ type }) => type === 'warning')).toHaveLength(32);
	});
});

describe('a plain program', () => {
	test('gets a single question as plain text', async () => {
		expect(words(await answer(await plain('cat')))).toBe('Who?');
	});

	test('gets a conversation as a transcript that ends before the next turn', async () => {
		const request: ChatRequest = {
			...question(''),
			messages: [
				{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
				{ role: 'user', content: [{ type: 'text', text: 'Who?' }] },
				{ role: 'assistant', content: [{ type: 'text', text: 'You.' }], toolCalls: [] },
				{ role: 'user', content: [{ type: 'text', text: 'Why?' }] },
			],
		};
		expect(words(await answer(await plain('cat'), request))).toBe(
			'System:\nBe brief.\n\nUser:\nWho?\n\nAssistant:\nYou.\n\nUser:\nWhy?\n\nAssistant:\n',
		);
	});

	test('streams text as it prints it, also when a character is split between chunks', async () => {
		const model = await plain(`printf 'a\\303'; sleep 0.02; printf '\\244'`);
		const events = model.stream(question('Who?'), {
			signal: new AbortController().signal,
			seed: 7,
			log: quiet,
		});
		const received: ChatEvent[] = [];
		for await (const event of events) received.push(event);
		expect(words(received)).toBe('aä');
	});

	test('ends when the reader stops', async () => {
		const controller = new AbortController();
		const run = { signal: controller.signal, seed: 7, log: quiet };
		const events = (await plain('yes')).stream(question('Who?'), run)[Symbol.asyncIterator]();
		expect(await events.next()).toMatchObject({ value: { type: 'text' } });
		const gone = new Error('The client disconnected.');
		controller.abort(gone);
		await expect(events.next()).rejects.toBe(gone);
		await harness.clean();
	});

	test('delays no caller when it is silent and ignores SIGTERM', async () => {
		const leave = new AbortController();
		const run = { signal: leave.signal, seed: 7, log: quiet };
		const model = await plain(`trap '' TERM; echo So; sleep 60; sleep 60`);
		const events = model.stream(question('Who?'), run)[Symbol.asyncIterator]();
		expect(await events.next()).toMatchObject({ value: { type: 'text' } });
		const next = events.next();
		const gone = new Error('The client disconnected.');
		leave.abort(gone);
		await expect(next).rejects.toBe(gone);
		await harness.clock.advance(2_000);
		await harness.clean();
	});

	test('fails when it prints something else than UTF-8 text', async () => {
		await expect(answer(await plain(`printf 'a\\377'`))).rejects.toMatchObject({
			message: 'The program behind this model printed text that is not UTF-8.',
		});
	});

	test('can write its answer to a file', async () => {
		const model = await plain('echo loading; echo Me. > "$1"', ['{output}']);
		expect(words(await answer(model))).toBe('Me.\n');
	});

	test('gets the fields that have a placeholder, and the client is warned about the others', async () => {
		const model = await plain('printf "%s;" "$@"', [
			['-n', '{maxTokens}'],
			['-t', '{temperature}'],
		]);
		const request = { ...question('Who?'), maxTokens: 5, topP: 0.5 };
		expect(await answer(model, request)).toEqual([
			{ type: 'warning', message: 'This model ignores top_p.' },
			{ type: 'text', text: '-n;5;' },
		]);
	});
});
