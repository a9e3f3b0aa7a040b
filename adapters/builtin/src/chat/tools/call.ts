import { createHash } from 'node:crypto';
import type { ChatEvent, ChatRequest, ChatRun } from '@plinth/plugin-chat/model';
import { fill } from '../json/fill.ts';
import type { Chosen } from './choose.ts';
import { messageFinder } from './message.ts';

/** The events that call tools with arguments out of the message's words. Equal requests give equal ids. */
export async function* callTools(
	chosen: readonly Chosen[],
	request: ChatRequest,
	run: ChatRun,
): AsyncGenerator<ChatEvent> {
	for (const [index, { tool, words }] of chosen.entries()) {
		const schema = tool.parameters ?? { type: 'object' };
		const { value, missing } = await fill(schema, messageFinder(words));
		const text = JSON.stringify(value);
		for (const name of missing)
			yield {
				type: 'warning',
				message: `The message does not say ${name} for ${tool.name}: the least valid value stands there.`,
			};
		const id = idOf(request, run, index, tool.name, text);
		yield { type: 'tool_call', index, id, name: tool.name, arguments: '' };
		for (const piece of text.match(/.{1,24}/gsu) ?? []) yield { type: 'tool_call', index, arguments: piece };
	}
	yield { type: 'finish', reason: 'tool_calls' };
}

function idOf({ messages }: ChatRequest, { seed }: ChatRun, index: number, ...rest: readonly string[]): string {
	const hash = createHash('sha256').update(`${seed}/${messages.length}/${index}/${rest.join('/')}`);
	return `call_${hash.digest('hex').slice(0, 24)}`;
}
