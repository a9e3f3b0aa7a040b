import { readFile } from 'node:fs/promises';
import { type Json, unsupportedValue } from '@plinth/core';
import type { AudioPart, ChatMessage, ChatPart, FilePart, ImagePart } from '@plinth/plugin-chat/model';

/**
 * Converts messages to the wire format. Documents are text. Content becomes a list of parts only when it has pictures,
 * audio or files. Without `pictureUrls`, a picture given by URL is refused with 400.
 */
export async function wireMessages(messages: readonly ChatMessage[], pictureUrls: boolean): Promise<Json[]> {
	return Promise.all(messages.map((message, index) => wireMessage(message, index, pictureUrls)));
}

async function wireMessage(message: ChatMessage, index: number, pictureUrls: boolean): Promise<Json> {
	switch (message.role) {
		case 'system':
			return { role: 'system', content: plainText(message.content) };
		case 'tool':
			return { role: 'tool', tool_call_id: message.callId, content: plainText(message.content) };
		case 'assistant':
			return assistant(message);
		case 'user':
			return {
				role: 'user',
				...(message.name === undefined ? {} : { name: message.name }),
				content: await contentOf(message.content, `messages[${index}].content`, pictureUrls),
			};
	}
}

/** A refusal becomes text, because only OpenAI's server has a member for it. */
function assistant({ content, refusal, toolCalls }: Extract<ChatMessage, { role: 'assistant' }>): Json {
	const text = plainText(content) || (refusal ?? '');
	const calls = toolCalls.map(({ id, name, arguments: json }) => ({
		id,
		type: 'function',
		function: { name, arguments: json },
	}));
	return {
		role: 'assistant',
		content: text === '' && calls.length > 0 ? null : text,
		...(calls.length > 0 ? { tool_calls: calls } : {}),
	};
}

/** Several texts are joined: the chat templates of many models accept only a string. */
async function contentOf(parts: readonly ChatPart[], param: string, pictureUrls: boolean): Promise<Json> {
	if (parts.every((part) => part.type === 'text' || part.type === 'document')) return plainText(parts);
	return Promise.all(parts.map((part, index) => wirePart(part, `${param}[${index}]`, pictureUrls)));
}

async function wirePart(part: ChatPart, param: string, pictureUrls: boolean): Promise<Json> {
	switch (part.type) {
		case 'text':
		case 'document':
			return { type: 'text', text: part.text };
		case 'image':
			return picture(part, `${param}.image_url`, pictureUrls);
		case 'audio':
			return sound(part);
		case 'file':
			return file(part);
	}
}

async function picture({ detail, image }: ImagePart, param: string, pictureUrls: boolean): Promise<Json> {
	if ('url' in image && !pictureUrls) {
		throw unsupportedValue(param, 'The model fetches no pictures. Send the picture itself, as a data URL.');
	}
	const url = 'url' in image ? image.url : await dataUrl(image.mediaType, image.source);
	return { type: 'image_url', image_url: { url, ...(detail === 'auto' ? {} : { detail }) } };
}

async function sound({ format, source }: AudioPart): Promise<Json> {
	return { type: 'input_audio', input_audio: { data: await base64(source), format } };
}

async function file({ filename, mediaType, source }: FilePart): Promise<Json> {
	return { type: 'file', file: { filename, file_data: await dataUrl(mediaType, source) } };
}

function plainText(parts: readonly { readonly text: string }[]): string;
function plainText(parts: readonly ChatPart[]): string;
function plainText(parts: readonly (ChatPart | { readonly text: string })[]): string {
	return parts.map((part) => ('text' in part ? part.text : '')).join('\n\n');
}

async function dataUrl(mediaType: string, source: Uint8Array | { readonly path: string }): Promise<string> {
	return `data:${mediaType};base64,${await base64(source)}`;
}

async function base64(source: Uint8Array | { readonly path: string }): Promise<string> {
	const bytes = 'path' in source ? await readFile(source.path) : source;
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
