import {
	encodedImage,
	imageFromUrl,
	isUpload,
	mediaTypeOf,
	plinthError,
	probeSent,
	type SentDocument,
	sentDocument,
	unsupportedValue,
} from '@plinth/core';
import { nameOf } from '../documents/names.ts';
import type { SentFile } from '../documents/read.ts';
import type { AudioPart, ChatPart, FilePart, ImagePart } from '../model.ts';
import type { InputContext } from './context.ts';
import type { SentPart } from './parts.ts';

type Sent<T extends SentPart['type']> = Extract<SentPart, { type: T }>;

/** A picture as the model gets it; a sentence in its place for one that does not look at pictures. */
export async function pictureOf(
	{ url, detail }: Sent<'image_url'>['image_url'],
	param: string,
	context: InputContext,
): Promise<ChatPart> {
	const address = typeof url === 'string' && /^https?:\/\//i.test(url) ? url : undefined;
	const image = address === undefined ? await sentPicture(url, param, context) : { url: address };
	const { abilities, warn } = context;
	if (!abilities.images) {
		warn('The model does not look at pictures: it was told that there is one.');
		return {
			type: 'text',
			text: '[A picture is attached here. This model does not look at pictures.]',
		};
	}
	return { type: 'image', detail: details[detail ?? 'auto'], image };
}

const details = { auto: 'auto', low: 'low', high: 'high', original: 'high' } as const;

/** What is no picture is refused, also where nobody looks at it: the mistake is the client's in any case. */
async function sentPicture(
	url: unknown,
	param: string,
	{ images, signal }: InputContext,
): Promise<ImagePart['image']> {
	const sent = imageFromUrl(url, `${param}.url`);
	const source = encodedImage(sent);
	if (images) {
		const { format } = await probeSent(sent, `${param}.url`, images, signal);
		return { mediaType: `image/${format}`, source };
	}
	return { mediaType: await typeOf(sent), source };
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
export async function filePartOf(
	file: Sent<'file'>['file'],
	param: string,
	{ abilities }: InputContext,
): Promise<FilePart | SentFile> {
	const document = documentOf(file, param);
	const filename = file.filename ?? file.file_name ?? undefined;
	const mediaType = abilities.files ? await typeOf(document) : '';
	if (abilities.files?.includes(mediaType)) {
		const source = sourceOf(document);
		return { type: 'file', filename: nameOf(filename, mediaType), mediaType, source };
	}
	return { type: 'sent', param: `${param}.file_data`, filename, document };
}

function documentOf(file: Sent<'file'>['file'], param: string): SentDocument {
	const { file_data: data, file_id: id, file_url: url } = file;
	if (id !== undefined && id !== null) {
		throw unsupportedValue(
			`${param}.file_id`,
			`${param}.file_id: this server keeps no files. Send the file itself in file_data.`,
		);
	}
	if (url !== undefined && url !== null) {
		throw unsupportedValue(
			`${param}.file_url`,
			`${param}.file_url: addresses are not fetched. Send the file itself in file_data.`,
		);
	}
	if (data === undefined || data === null || data === '') {
		throw plinthError('E_VALUE_MISSING', {
			param: `${param}.file_data`,
			message: `${param}.file_data is required: a data URL, or base64 alone.`,
		});
	}
	return sentDocument(data, `${param}.file_data`);
}

function typeOf(sent: SentDocument): Promise<string> | string {
	return isUpload(sent) ? sent.mediaType : mediaTypeOf(sent);
}

function sourceOf(sent: SentDocument): Uint8Array | { readonly path: string } {
	return isUpload(sent) ? { path: sent.path } : sent;
}
