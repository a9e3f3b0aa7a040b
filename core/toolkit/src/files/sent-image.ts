import {
	DataUrlError,
	decodeDataUrl,
	invalidValue,
	isPlinthError,
	isUpload,
	PlinthError,
	plinthError,
	type UploadedFile,
	wrongType,
} from '@plinth/core';
import { Semaphore } from '../limits/semaphore.ts';
import type { EncodedImage, ImageCodec, ImageInfo } from '../ports/image-codec.ts';
import type { ReferencedFiles } from './referenced-files.ts';

/** A loaded picture, not probed yet: a file, or the bytes of a data URL. */
export type SentImage = UploadedFile | Uint8Array;

/** A picture that a request contains or references. */
export interface RequestImage {
	/** Loads the bytes. Rejects with 400 errors that name the parameter, and with the signal's reason. */
	load(signal: AbortSignal): Promise<SentImage>;
}

/** Limits of a route on pictures. */
export interface SentImageOptions {
	/** Maximum length of a data URL; absent: only the limits of the route apply. */
	readonly maxUrlLength?: number;
}

/** Limits concurrent probes, which decode the picture. */
const probeSlots = new Semaphore(2);

/**
 * Parses the picture in a field of a request body: a file, or an object with `image_url` (a data URL or an
 * address) or `file_id` (a stored file). Throws 400 errors that name the exact parameter below `param`:
 * `input_reference.image_url`, `images[2].file_id`.
 */
export function imageFromField(
	sent: unknown,
	param: string,
	files: ReferencedFiles,
	options: SentImageOptions = {},
): RequestImage {
	if (isUpload(sent)) return loadedImage(sent);
	if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) {
		return fromMembers(sent as Record<string, unknown>, param, files, options);
	}
	throw wrongType(param, `A file is expected in ${param}, or an object with image_url or file_id.`);
}

/** Probes the picture. Client errors of the codec become 400 errors that name `param`. */
export async function probeImage(
	image: SentImage,
	param: string,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<ImageInfo> {
	try {
		return await probeSlots.run(() => images.probe(encodedImage(image), signal), signal);
	} catch (error) {
		throw isPlinthError(error) && error.spec.status === 400 ? withParam(error, param) : error;
	}
}

/** The picture as input of an `ImageCodec`. Files are not read into memory. */
export function encodedImage(image: SentImage): EncodedImage {
	return isUpload(image) ? { path: image.path } : image;
}

function fromMembers(
	{ image_url: url, file_id: fileId }: Readonly<Record<string, unknown>>,
	param: string,
	files: ReferencedFiles,
	options: SentImageOptions,
): RequestImage {
	const hasId = (fileId ?? undefined) !== undefined;
	if ((url ?? undefined) === undefined) {
		if (hasId) return files.stored(fileId, `${param}.file_id`);
		throw plinthError('E_VALUE_MISSING', {
			param: `${param}.image_url`,
			message: `${param} needs an image_url or a file_id.`,
		});
	}
	if (hasId) {
		throw invalidValue(param, `Send exactly one of image_url and file_id in ${param}.`);
	}
	return imageFromUrl(url, `${param}.image_url`, files, options);
}

/**
 * The picture of a data URL, or of an address where the server fetches pictures. A long data URL arrives as
 * a file. Throws 400 errors that name `param`.
 */
export function imageFromUrl(
	url: unknown,
	param: string,
	files: ReferencedFiles,
	options: SentImageOptions = {},
): RequestImage {
	const isFetched = files.canFetch && typeof url === 'string' && /^https?:/i.test(url);
	return isFetched ? files.remote(url, param) : loadedImage(fromDataUrl(url, param, options));
}

function loadedImage(image: SentImage): RequestImage {
	return { load: async () => image };
}

function fromDataUrl(url: unknown, param: string, { maxUrlLength = Infinity }: SentImageOptions): SentImage {
	if (url instanceof DataUrlError) throw invalidValue(param, `${param}: ${url.message}.`);
	if (!isUpload(url) && typeof url !== 'string') {
		throw wrongType(param, 'A data URL is expected.');
	}
	// A long data URL arrives decoded, as a file: four characters for three bytes.
	const length = typeof url === 'string' ? url.length : Math.ceil((url.size * 4) / 3);
	if (length > maxUrlLength) {
		throw plinthError('E_STRING_TOO_LONG', {
			param,
			message: `At most ${maxUrlLength} characters are allowed, but ${length} were sent.`,
		});
	}
	if (typeof url !== 'string') return url;
	try {
		return decodeDataUrl(url);
	} catch (error) {
		throw error instanceof DataUrlError ? invalidValue(param, `${param}: ${error.message}.`) : error;
	}
}

/** Adds the parameter to an error of the codec. */
function withParam(error: PlinthError, param: string): PlinthError {
	// The message already contains the remedy; the new error would append it again.
	const { remedy: _, ...spec } = error.spec;
	return new PlinthError(error.code, spec, { message: error.message, param, cause: error });
}
