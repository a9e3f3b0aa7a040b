import type { ChatMessage, ChatPart } from '@plinth/plugin-chat/model';
import type { RunFolder } from '../run/folder.ts';

/**
 * The messages for a program. Files are written to its folder and named in `file`. Documents have their
 * text, without their pages.
 */
export function writeParts(folder: RunFolder, messages: readonly ChatMessage[]): Promise<readonly unknown[]> {
	const written = messages.map(async (message, index) => {
		if (message.role !== 'user') return message;
		const parts = message.content.map((part, at) => writePart(folder, part, `file-${index + 1}-${at + 1}`));
		return { ...message, content: await Promise.all(parts) };
	});
	return Promise.all(written);
}

async function writePart(folder: RunFolder, part: ChatPart, file: string): Promise<unknown> {
	if (part.type === 'text') return part;
	if (part.type === 'document') {
		const { pages: _, ...document } = part;
		return document;
	}
	if (part.type === 'image') {
		const { type, detail, image } = part;
		if ('url' in image) return { type, detail, url: image.url };
		await folder.write(file, image.source);
		return { type, detail, file, mediaType: image.mediaType };
	}
	const { source, ...rest } = part;
	await folder.write(file, source);
	return { ...rest, file };
}

/**
 * A conversation as one text. A single user message is sent as it is; otherwise each message follows its
 * role, and the text ends with the role of the answer.
 */
export function transcript(messages: readonly ChatMessage[]): string {
	const [first] = messages;
	if (first && messages.length === 1 && first.role === 'user') return textOf(first);
	const paragraphs = messages.map((message) => `${roleNames[message.role]}:\n${textOf(message)}`);
	return [...paragraphs, `${roleNames.assistant}:\n`].join('\n\n');
}

const roleNames = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

function textOf({ content }: ChatMessage): string {
	const texts = content.map((part) => (part.type === 'text' || part.type === 'document' ? part.text : ''));
	return texts.filter((text) => text !== '').join('\n\n');
}
