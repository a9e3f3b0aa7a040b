import { setTimeout as delay } from 'node:timers/promises';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { afterAll, describe, test } from 'vitest';
import { openai } from '../src/index.ts';
import { chunk } from './chat-calls.ts';
import { createModel } from './harness.ts';
import { systemClock } from './system-clock.ts';
import { frame, type Handler, startScripted, type UpstreamRequest } from './upstream.ts';

interface ChatBody {
	readonly tools?: readonly { readonly function: { readonly name: string } }[];
	readonly tool_choice?: string | { readonly function: { readonly name: string } };
	readonly response_format?: { readonly type: string };
	readonly max_tokens?: number;
	readonly max_completion_tokens?: number;
	readonly seed: number;
}

/** A server that follows each instruction literally. */
const upstreamHandler: Handler = async ({ json }: UpstreamRequest, res) => {
	const ask = json as unknown as ChatBody;
	res.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const piece of piecesOf(ask)) {
		await delay(1);
		if (res.destroyed) return;
		res.write(frame(piece));
	}
	res.end(frame('[DONE]'));
};

function piecesOf(ask: ChatBody): object[] {
	const choice = ask.tool_choice;
	const name = typeof choice === 'object' ? choice.function.name : ask.tools?.[0]?.function.name;
	if (name && (choice === 'required' || typeof choice === 'object')) {
		const json = name === 'get_time' ? '{}' : '{"amount":42,"currency":"SEK"}';
		const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: json } };
		return [chunk({ role: 'assistant', tool_calls: [call] }), chunk({}, 'tool_calls')];
	}
	const most = ask.max_tokens ?? ask.max_completion_tokens;
	const words = wordsOf(ask).slice(0, most);
	const usage = { prompt_tokens: 30, completion_tokens: words.length };
	return [
		...words.map((content) => chunk({ content })),
		chunk({}, most === undefined ? 'stop' : 'length'),
		{ choices: [], usage },
	];
}

function wordsOf({ response_format: format, seed }: ChatBody): string[] {
	if (format?.type === 'json_object') return ['{"total":', '42}'];
	if (format) return ['{"answer":"42","isPaid":false,', '"kind":"bill","items":[]}'];
	return ['The total ', 'is 42 EUR. ', `(${seed})`];
}

const upstream = await startScripted(upstreamHandler);
afterAll(() => upstream.close());

describe.each(['openai', 'llamacpp'] as const)('a model of the dialect %s conforms:', (dialect) => {
	const cases = chatModelSuite({
		async create() {
			const instance = openai.chat({ baseURL: upstream.baseURL, dialect });
			const { model, stop } = await createModel(instance, { clock: systemClock });
			return { model, close: stop };
		},
		supports: { deterministic: true },
	});
	for (const { name, run } of cases) test(name, run);
});
