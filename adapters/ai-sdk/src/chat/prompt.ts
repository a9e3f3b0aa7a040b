import { readFile } from 'node:fs/promises';
import { unsupportedValue } from '@plinth/core';
import type { ChatMessage, ChatPart } from '@plinth/plugin-chat/model';

/** Messages for a provider. Throws 400 for a picture given by its URL. */
export function promptOf(messages: readonly ChatMessage[], version: 'v3' | 'v4'): Promise<object[]> {
	const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
	const names = new Map(calls.map(({ id, name }) => [id, name]));
	return Promise.all(
		messages.map(async (message, index) => {
			if (message.role !== 'user') return otherMessage(message, names);
			const param = (part: number) => `messages[${index}].content[${part}].image_url`;
			const parts = message.content.map((part, at) => partOf(part, param(at), version));
			return { role: 'user', content: await Promise.all(parts) };
		}),
	);
}

/** `names`: the tools by the ids of their calls, because results must name their tool. */
function otherMessage(message: Exclude<ChatMessage, { role: 'user' }>, names: ReadonlyMap<string, string>): object {
	const text = message.content.map((part) => part.text).join('\n\n');
	if (message.role === 'system') return { role: 'system', content: text };
	if (message.role === 'tool') {
		const { callId: toolCallId } = message;
		const result = { toolCallId, toolName: names.get(toolCallId) ?? 'unknown', output: { type: 'text', value: text } };
		return { role: 'tool', content: [{ type: 'tool-result', ...result }] };
	}
	const calls = message.toolCalls.map(({ id, name, arguments: json }) => {
		return { type: 'tool-call', toolCallId: id, toolName: name, input: parsed(json) };
	});
	const spoken = text || message.refusal;
	return { role: 'assistant', content: [...(spoken ? [{ type: 'text', text: spoken }] : []), ...calls] };
}

/** Arguments that a client sends back need not be JSON. */
function parsed(json: string): unknown {
	try {
		return JSON.parse(json || '{}');
	} catch {
		return json;
	}
}

async function partOf(part: ChatPart, param: string, version: 'v3' | 'v4'): Promise<object> {
	if (part.type === 'text' || part.type === 'document') return { type: 'text', text: part.text };
	if (part.type === 'image' && 'url' in part.image) {
		throw unsupportedValue(param, 'The model fetches no pictures. Send the picture itself, as a data URL.');
	}
	const audioType = part.type === 'audio' && part.format === 'mp3' ? 'audio/mpeg' : 'audio/wav';
	const { mediaType = audioType, source }: File = part.type === 'image' ? (part.image as File) : part;
	const bytes = 'path' in source ? await readFile(source.path) : source;
	// Version 4 states whether the data is bytes or a URL.
	const data = version === 'v3' ? bytes : { type: 'data', data: bytes };
	return { type: 'file', mediaType, data, ...('filename' in part ? { filename: part.filename } : {}) };
}

type File = { readonly mediaType?: string; readonly source: Uint8Array | { readonly path: string } };
