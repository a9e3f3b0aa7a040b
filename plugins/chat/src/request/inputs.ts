import { invalidValue } from '@plinth/core';
import { readFiles, type SentFile } from '../documents/read.ts';
import type { ChatMessage, ChatPart } from '../model.ts';
import type { InputContext } from './context.ts';
import type { Draft, PlacedPart } from './drafts.ts';
import { filePartOf, pictureOf, soundOf } from './media.ts';

/** Most files of one request: documents, pictures and sound. */
export const maxFiles = 64;

/** The messages as the model gets them: files as their text, unless it reads them itself. */
export async function readMessages(
	drafts: readonly Draft[],
	context: InputContext,
): Promise<readonly ChatMessage[]> {
	const parts = drafts.flatMap((draft) => (draft.role === 'user' ? draft.content : []));
	refuseTooMany(parts);
	const ready = new Map<PlacedPart, ChatPart>();
	const files = new Map<PlacedPart, SentFile>();
	for (const placed of parts) {
		const read = await readPart(placed, context);
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

async function readPart(
	{ part, param }: PlacedPart,
	context: InputContext,
): Promise<ChatPart | SentFile> {
	switch (part.type) {
		case 'text':
			return part;
		case 'image_url':
			return pictureOf(part.image_url, `${param}.image_url`, context);
		case 'input_audio':
			return soundOf(part.input_audio, `${param}.input_audio`, context);
		case 'file':
			return filePartOf(part.file, `${param}.file`, context);
	}
}
