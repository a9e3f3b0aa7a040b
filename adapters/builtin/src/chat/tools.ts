import { createHash } from 'node:crypto';
import type { ChatEvent, ChatRequest, ChatRun, ChatTool } from '@plinth/plugin-chat/model';
import type { JsonMaker } from './json.ts';

/** The tools to call: the one of the request, else those that the message names, else the first if one is required. */
export function chooseTools(request: ChatRequest, message: string): readonly ChatTool[] {
	const { tools, toolChoice, parallelToolCalls } = request;
	if (toolChoice === 'none') return [];
	if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name);
	const words = new Set(message.match(/[\w-]+/g));
	const named = [...words].flatMap((word) => tools.find(({ name }) => name === word) ?? []);
	const chosen = named.length === 0 && toolChoice === 'required' ? tools.slice(0, 1) : named;
	return parallelToolCalls ? chosen : chosen.slice(0, 1);
}

/** Calls tools with JSON from the message, or with made-up arguments. Equal requests give equal ids. */
export async function* callTools(
	tools: readonly ChatTool[],
	message: string,
	{ messages }: ChatRequest,
	maker: JsonMaker,
	run: ChatRun,
): AsyncGenerator<ChatEvent> {
	const calls = [];
	for (const tool of tools) calls.push(await callOf(tool, message, maker, run));
	for (const { name, isMadeUp } of calls) {
		if (isMadeUp)
			yield { type: 'warning', message: `The arguments of ${name} are made up: the message has no JSON for it.` };
	}
	for (const [index, { name, json }] of calls.entries()) {
		const hash = createHash('sha256').update(`${run.seed}/${messages.length}/${index}/${name}/${json}`).digest('hex');
		yield { type: 'tool_call', index, id: `call_${hash.slice(0, 24)}`, name, arguments: '' };
		for (const [piece] of json.matchAll(/.{1,24}/gsu)) {
			run.signal.throwIfAborted();
			yield { type: 'tool_call', index, arguments: piece };
		}
	}
	yield { type: 'finish', reason: 'tool_calls' };
}

async function callOf({ name, parameters }: ChatTool, message: string, maker: JsonMaker, run: ChatRun) {
	if (!parameters) return { name, json: '{}', isMadeUp: false };
	const schema = { ...parameters, type: 'object' };
	return { name, ...(await maker.make({ schema, message, texts: [], param: 'tools' }, run)) };
}
