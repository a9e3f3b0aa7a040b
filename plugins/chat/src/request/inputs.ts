import { invalidValue } from '@plinth/core';
import { readFiles, type SentFile } from '../documents/read.ts';
import type { ChatMessage, ChatPart } from '../model.ts';
import type { InputContext } from './context.ts';
import { audioPartOf, filePartOf, type PartReader, pictureOf } from './media.ts';
import { maxFiles } from './parts.ts';
import type { RawMessage, RawPart } from './raw-messages.ts';

/** Reads the messages for a model: files become text, unless the model accepts them. */
export async function readMessages(
	rawMessages: readonly RawMessage[],
	context: InputContext,
): Promise<readonly ChatMessage[]> {
	const parts = rawMessages.flatMap((message) => (message.role === 'user' ? message.content : []));
	checkFileCount(parts);
	const readers = parts.map((raw) => readerFor(raw, context));
	const ready = new Map<RawPart, ChatPart>();
	const files = new Map<RawPart, SentFile>();
	for (const [index, read] of (await readAll(readers, context.signal)).entries()) {
		const raw = parts[index] as RawPart;
		if (read.type === 'sent') files.set(raw, read);
		else ready.set(raw, read);
	}
	const documents = await readFiles([...files.values()], context);
	for (const [index, raw] of [...files.keys()].entries()) {
		ready.set(raw, documents[index] as ChatPart);
	}
	return rawMessages.map((message) =>
		message.role === 'user'
			? { ...message, content: message.content.map((raw) => ready.get(raw) as ChatPart) }
			: message,
	);
}

function checkFileCount(parts: readonly RawPart[]): void {
	const first = parts.filter(({ part }) => part.type !== 'text')[maxFiles];
	if (first) throw invalidValue(first.param, `At most ${maxFiles} files are accepted in one request.`);
}

function readerFor({ part, param }: RawPart, context: InputContext): PartReader {
	switch (part.type) {
		case 'text':
			return async () => part;
		case 'image_url':
			return pictureOf(part.image_url, `${param}.image_url`, context);
		case 'input_audio': {
			const audio: ChatPart | SentFile = audioPartOf(part.input_audio, `${param}.input_audio`, context);
			return async () => audio;
		}
		case 'file':
			return filePartOf(part.file, `${param}.file`, context);
	}
}

/** Runs all readers concurrently, because fetching pictures is slow. The first failure aborts the others. */
async function readAll(readers: readonly PartReader[], outer: AbortSignal): Promise<readonly (ChatPart | SentFile)[]> {
	const failure = new AbortController();
	const signal = AbortSignal.any([outer, failure.signal]);
	try {
		return await Promise.all(readers.map((read) => read(signal)));
	} catch (error) {
		failure.abort(error);
		throw error;
	}
}
