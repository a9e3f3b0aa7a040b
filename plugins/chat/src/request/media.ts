import { invalidValue, isUpload, mediaTypeOf, plinthError, unsupportedValue } from '@plinth/core';
import {
	encodedImage,
	type ImageCodec,
	imageFromUrl,
	type NamedFiles,
	probeSent,
	type SentDocument,
	type SentImage,
	sentDocument,
} from '@plinth/toolkit';
import { nameOf } from '../documents/names.ts';
import type { SentFile } from '../documents/read.ts';
import type { AudioPart, ChatPart, ImagePart } from '../model.ts';
import type { InputContext } from './context.ts';
import type { SentPart } from './parts.ts';

type Sent<T extends SentPart['type']> = Extract<SentPart, { type: T }>;

/** Makes a part of a message what the model gets of it. What can be said of it without its bytes has been said. */
export type Reading = (signal: AbortSignal) => Promise<ChatPart | SentFile>;

/** A picture as the model gets it; a sentence in its place for one that does not look at pictures. */
export function pictureOf(
	{ url, detail }: Sent<'image_url'>['image_url'],
	param: string,
	{ abilities, images, named, warn }: InputContext,
): Reading {
	const address = typeof url === 'string' && /^https?:\/\//i.test(url) ? url : undefined;
	// Fetched for models that look at it, so that all of them get pictures in one form. Where the server fetches none, such a model may do so.
	const isLeft = address !== undefined && !(abilities.images && named.fetches);
	const found = isLeft ? undefined : imageFromUrl(url, `${param}.url`, named);
	return async (signal) => {
		const image = found
			? await lookAt(await found.bring(signal), `${param}.url`, images, signal)
			: { url: address as string };
		if (abilities.images) return { type: 'image', detail: details[detail ?? 'auto'], image };
		warn('The model does not look at pictures: it was told that there is one.');
		return {
			type: 'text',
			text: '[A picture is attached here. This model does not look at pictures.]',
		};
	};
}

const details = { auto: 'auto', low: 'low', high: 'high', original: 'high' } as const;

/** What is no picture is refused, also where nobody looks at it: the mistake is the client's in any case. */
async function lookAt(
	sent: SentImage,
	param: string,
	images: ImageCodec | undefined,
	signal: AbortSignal,
): Promise<ImagePart['image']> {
	const source = encodedImage(sent);
	if (!images) return { mediaType: await typeOf(sent), source };
	const { format } = await probeSent(sent, param, images, signal);
	return { mediaType: `image/${format}`, source };
}

/** Sound as the model gets it. Throws 400 for one that does not hear. */
export function soundOf(
	{ data, format }: Sent<'input_audio'>['input_audio'],
	param: string,
	{ abilities }: InputContext,
): AudioPart {
	if (!abilities.audio) {
		throw unsupportedValue(param, `${param}: the model does not hear. Send the words as text.`);
	}
	return { type: 'audio', format, source: sourceOf(sentDocument(data, `${param}.data`)) };
}

/** A file for a model that reads its type, or one whose text is to be read. */
export function filePartOf(
	file: Sent<'file'>['file'],
	param: string,
	{ abilities, named }: InputContext,
): Reading {
	const found = documentOf(file, param, named);
	return async (signal) => {
		const document = await found.bring(signal);
		// A stored file has the name that it was uploaded with.
		const own = isUpload(document) ? document.filename : '';
		const filename = file.filename || file.file_name || own || undefined;
		const mediaType = abilities.files ? await typeOf(document) : '';
		if (abilities.files?.includes(mediaType)) {
			const source = sourceOf(document);
			return { type: 'file', filename: nameOf(filename, mediaType), mediaType, source };
		}
		return { type: 'sent', param: found.param, filename, document };
	};
}

/** A file that a part carries or names, and the parameter that says which. */
interface FoundDocument {
	readonly param: string;
	bring(signal: AbortSignal): Promise<SentDocument>;
}

function documentOf(
	{ file_data: data, file_id: id, file_url: url }: Sent<'file'>['file'],
	param: string,
	named: NamedFiles,
): FoundDocument {
	if (url !== undefined && url !== null) {
		throw unsupportedValue(
			`${param}.file_url`,
			`${param}.file_url: addresses are not fetched. Send the file itself in file_data.`,
		);
	}
	const hasData = data !== undefined && data !== null && data !== '';
	if (id !== undefined && id !== null) {
		if (hasData) throw invalidValue(param, `${param}: send exactly one of file_data and file_id.`);
		const idParam = `${param}.file_id`;
		return { param: idParam, ...named.stored(id, idParam) };
	}
	const dataParam = `${param}.file_data`;
	if (!hasData) {
		throw plinthError('E_VALUE_MISSING', {
			param: dataParam,
			message: `${dataParam} is required: a data URL, or base64 alone.`,
		});
	}
	const document = sentDocument(data, dataParam);
	return { param: dataParam, bring: async () => document };
}

function typeOf(sent: SentDocument): Promise<string> | string {
	return isUpload(sent) ? sent.mediaType : mediaTypeOf(sent);
}

function sourceOf(sent: SentDocument): Uint8Array | { readonly path: string } {
	return isUpload(sent) ? { path: sent.path } : sent;
}
