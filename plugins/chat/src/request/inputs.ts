import { invalidValue } from '@plinth/core';
import { readFiles, type SentFile } from '../documents/read.ts';
import type { ChatMessage, ChatPart } from '../model.ts';
import type { InputContext } from './context.ts';
import { filePartOf, pictureOf, type Reading, soundOf } from './media.ts';
import type { PlacedPart, RawMessage } from './raw-messages.ts';

/** Most files of one request: documents, pictures and sound. */
export const maxFiles = 64;

/** The messages as the model gets them: files as their text, unless it reads them itself. */
export async function readMessages(
	drafts: readonly RawMessage[],
	context: InputContext,
): Promise<readonly ChatMessage[]> {
	const parts = drafts.flatMap((draft) => (draft.role === 'user' ? draft.content : []));
	refuseTooMany(parts);
	const readings = parts.map((placed) => readingOf(placed, context));
	const ready = new Map<PlacedPart, ChatPart>();
	const files = new Map<PlacedPart, SentFile>();
	for (const [index, read] of (await allOf(readings, context.signal)).entries()) {
		const placed = parts[index] as PlacedPart;
		if (read.type === 'sent') files.set(placed, read);
		else ready.set(placed, read);
	}
	const documents = await readFiles([...files.values()], context);
	for (const [index, placed] of [...files.keys()].entries()) {
		ready.set(placed, documents[index] as ChatPart);
	}
	return drafts.map((draft) =>
		draft.role === 'user'
			? { ...draft, content: draft.content.map((placed) => ready.get(placed) as ChatPart) }
			: draft,
	);
}

function refuseTooMany(parts: readonly PlacedPart[]): void {
	const first = parts.filter(({ part }) => part.type !== 'text')[maxFiles];
	if (first) throw invalidValue(first.param, `At most ${maxFiles} files are taken in one request.`);
}

function readingOf({ part, param }: PlacedPart, context: InputContext): Reading {
	switch (part.type) {
		case 'text':
			return async () => part;
		case 'image_url':
			return pictureOf(part.image_url, `${param}.image_url`, context);
		case 'input_audio': {
			const sound = soundOf(part.input_audio, `${param}.input_audio`, context);
			return async () => sound;
		}
		case 'file':
			return filePartOf(part.file, `${param}.file`, context);
	}
}

/** Side by side: fetched pictures would take long one after the other. The first failure ends the others. */
async function allOf(
	readings: readonly Reading[],
	outer: AbortSignal,
): Promise<readonly (ChatPart | SentFile)[]> {
	const stop = new AbortController();
	const signal = AbortSignal.any([outer, stop.signal]);
	try {
		return await Promise.all(readings.map((read) => read(signal)));
	} catch (error) {
		stop.abort(error);
		throw error;
	}
}
