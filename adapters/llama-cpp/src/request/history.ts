import type { ChatMessage } from '@plinth/plugin-chat/model';
import type { Turn } from '../engine/messages.ts';

/**
 * The conversation in the form of the library: successive answers are one turn of the model, and results of tools are
 * parts of their calls. Ends with a turn of the model, which the answer continues.
 */
export function toHistory(messages: readonly ChatMessage[]): readonly Turn[] {
	const toolMessages = messages.filter((message) => message.role === 'tool');
	const results = new Map(toolMessages.map((message) => [message.callId, textOf(message)]));
	const turns: Turn[] = [];
	for (const message of messages) {
		if (message.role === 'system' || message.role === 'user') turns.push({ type: message.role, text: textOf(message) });
		else if (message.role === 'assistant') addResponse(turns, responseOf(message, results));
	}
	addResponse(turns, []);
	return turns;
}

function addResponse(turns: Turn[], response: readonly unknown[]): void {
	const last = turns.at(-1);
	if (last?.type !== 'model') turns.push({ type: 'model', response });
	else turns.splice(-1, 1, { type: 'model', response: [...last.response, ...response] });
}

function responseOf(message: Extract<ChatMessage, { role: 'assistant' }>, results: ReadonlyMap<string, string>) {
	const calls = message.toolCalls.map(({ id, name, arguments: text }, index) => {
		const call = { type: 'functionCall', name, params: parsed(text), result: results.get(id) ?? '' };
		return { ...call, startsNewChunk: index === 0 };
	});
	return [textOf(message), message.refusal ?? '', ...calls].filter((part) => part !== '');
}

/** The arguments of an earlier call. Clients may have changed them, so that they are no JSON. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function textOf({ content }: ChatMessage): string {
	const texts = content.map((part) => (part.type === 'text' || part.type === 'document' ? part.text : ''));
	return texts.filter((text) => text !== '').join('\n\n');
}
