import { invalidValue, isUpload, plinthError, unsupportedValue } from '@plinth/core';
import {
	documentFromField,
	encodedImage,
	type ImageCodec,
	imageFromUrl,
	probeImage,
	type ReferencedFiles,
	type SentDocument,
	type SentImage,
} from '@plinth/toolkit';
import { nameOf } from '../documents/names.ts';
import { type SentFile, typeOf } from '../documents/read.ts';
import type { AudioPart, ChatPart, ImagePart } from '../model.ts';
import type { InputContext } from './context.ts';
import type { SentPart } from './parts.ts';

type PartOf<T extends SentPart['type']> = Extract<SentPart, { type: T }>;

/** Converts a part for the model. Errors that do not depend on the bytes are thrown when the reader is created. */
export type PartReader = (signal: AbortSignal) => Promise<ChatPart | SentFile>;

/** A picture for the model, or a note in its place when the model accepts no pictures. */
export function pictureOf(
	{ url, detail }: PartOf<'image_url'>['image_url'],
	param: string,
	{ abilities, images, referenced, warn }: InputContext,
): PartReader {
	const address = typeof url === 'string' && /^https?:\/\//i.test(url) ? url : undefined;
	// If the model accepts pictures, the server fetches the URL, so that all models get the same form. If the server
	// cannot fetch, the model may fetch it.
	const isUrlPassed = address !== undefined && !(abilities.images && referenced.canFetch);
	const pending = isUrlPassed ? undefined : imageFromUrl(url, `${param}.url`, referenced);
	return async (signal) => {
		const image = pending
			? await probePicture(await pending.load(signal), `${param}.url`, images, signal)
			: { url: address as string };
		if (abilities.images) return { type: 'image', detail: details[detail ?? 'auto'], image };
		warn('The model accepts no pictures: it received a note in place of one.');
		return {
			type: 'text',
			text: '[A picture is attached here. This model accepts no pictures.]',
		};
	};
}

const details = { auto: 'auto', low: 'low', high: 'high', original: 'high' } as const;

/** Rejects invalid pictures, also when the model accepts none. */
async function probePicture(
	sent: SentImage,
	param: string,
	images: ImageCodec | undefined,
	signal: AbortSignal,
): Promise<ImagePart['image']> {
	const source = encodedImage(sent);
	if (!images) return { mediaType: await typeOf(sent), source };
	const { format } = await probeImage(sent, param, images, signal);
	return { mediaType: `image/${format}`, source };
}

/** Audio for the model or for transcription. Throws 400 if the model accepts none and the server cannot transcribe. */
export function audioPartOf(
	{ data, format }: PartOf<'input_audio'>['input_audio'],
	param: string,
	{ abilities, transcribe }: InputContext,
): AudioPart | SentFile {
	if (!abilities.audio && !transcribe) {
		throw unsupportedValue(param, `${param}: the model accepts no audio. Send the words as text.`);
	}
	const document = documentFromField(data, `${param}.data`);
	if (abilities.audio) return { type: 'audio', format, source: sourceOf(document) };
	return { type: 'sent', param: `${param}.data`, filename: `audio.${format}`, document, isAudio: true };
}

/** A file that the model accepts by type, or one to be read as text. */
export function filePartOf(
	file: PartOf<'file'>['file'],
	param: string,
	{ abilities, referenced }: InputContext,
): PartReader {
	const pending = documentOf(file, param, referenced);
	return async (signal) => {
		const document = await pending.load(signal);
		// A stored file keeps the name of its upload.
		const uploadName = isUpload(document) ? document.filename : '';
		const filename = file.filename || file.file_name || uploadName || undefined;
		const mediaType = abilities.files ? await typeOf(document) : '';
		if (abilities.files?.includes(mediaType)) {
			const source = sourceOf(document);
			return { type: 'file', filename: nameOf(filename, mediaType), mediaType, source };
		}
		return { type: 'sent', param: pending.param, filename, document };
	};
}

/** A file of a part, not loaded yet, and the parameter that errors name. */
interface PendingDocument {
	readonly param: string;
	load(signal: AbortSignal): Promise<SentDocument>;
}

function documentOf(
	{ file_data: data, file_id: id, file_url: url }: PartOf<'file'>['file'],
	param: string,
	referenced: ReferencedFiles,
): PendingDocument {
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
		return { param: idParam, ...referenced.stored(id, idParam) };
	}
	const dataParam = `${param}.file_data`;
	if (!hasData) {
		throw plinthError('E_VALUE_MISSING', {
			param: dataParam,
			message: `${dataParam} is required: a data URL, or base64 alone.`,
		});
	}
	const document = documentFromField(data, dataParam);
	return { param: dataParam, load: async () => document };
}

function sourceOf(sent: SentDocument): Uint8Array | { readonly path: string } {
	return isUpload(sent) ? { path: sent.path } : sent;
}
