import {
	type ImageCodec,
	invalidValue,
	isPlinthError,
	isUpload,
	type JobAttachment,
	PlinthError,
	plinthError,
	Semaphore,
	type UploadedFile,
	unsupportedValue,
} from '@plinth/core';
import { DataUrlError, decodeDataUrl } from './data-url.ts';

/** The name of the attachment that holds the picture. */
export const referenceName = 'reference';

/** Pictures are read whole to be looked at: two at a time, however many are being uploaded. */
const places = new Semaphore(2);

const field = 'input_reference';
const maxUrlLength = 20_971_520;

/** A picture that came with a request and whose bytes have not been looked at yet. */
export type SentReference = UploadedFile | Uint8Array;

/**
 * Finds the picture in a request body: a file, or an object with a data URL in `image_url`; the kernel has folded the multipart
 * spelling `input_reference[image_url]` into that object. Undefined when there is none; throws 400 errors that name the parameter.
 */
export function readReference(sent: unknown): SentReference | undefined {
	if (sent === undefined || sent === null) return undefined;
	if (isUpload(sent)) return sent;
	if (Array.isArray(sent)) throw invalidValue(field, 'Only one reference picture is taken.');
	if (typeof sent === 'object') return readMembers(sent as Record<string, unknown>);
	throw plinthError('E_VALUE_TYPE', {
		param: field,
		message: `A file is expected in ${field}, or an object with image_url.`,
	});
}

/** Looks at the bytes and makes them an attachment of the job; throws a 400 error when they are no acceptable picture. */
export async function checkReference(
	body: SentReference,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<JobAttachment> {
	try {
		const { format } = await places.run(async () => {
			if (!isUpload(body)) return images.probe(body, signal);
			if (images.probeFile) return images.probeFile(body.path, signal);
			return images.probe(await body.bytes(), signal);
		}, signal);
		return { name: referenceName, mediaType: `image/${format}`, body };
	} catch (error) {
		throw isPlinthError(error) && error.spec.status === 400 ? blame(error) : error;
	}
}

function readMembers(members: Readonly<Record<string, unknown>>): SentReference {
	const url = members.image_url ?? undefined;
	const fileId = members.file_id ?? undefined;
	if (url !== undefined && fileId !== undefined) {
		throw invalidValue(field, `Send exactly one of image_url and file_id in ${field}.`);
	}
	if (fileId !== undefined) {
		throw unsupportedValue(
			`${field}.file_id`,
			'Files are not available on this server. Send the picture itself, as a file or as a data URL in image_url.',
		);
	}
	if (url === undefined) {
		throw plinthError('E_VALUE_MISSING', {
			param: `${field}.image_url`,
			message: `${field} needs an image_url.`,
		});
	}
	return decodeUrl(url, `${field}.image_url`);
}

function decodeUrl(url: unknown, param: string): Uint8Array {
	if (typeof url !== 'string') {
		throw plinthError('E_VALUE_TYPE', { param, message: 'A data URL is expected.' });
	}
	if (url.length > maxUrlLength) {
		throw plinthError('E_STRING_TOO_LONG', {
			param,
			message: `At most ${maxUrlLength} characters are allowed, but ${url.length} were sent.`,
		});
	}
	try {
		return decodeDataUrl(url);
	} catch (error) {
		throw error instanceof DataUrlError
			? invalidValue(param, `${param}: ${error.message}.`)
			: error;
	}
}

/** The codec does not know which parameter held the bytes. */
function blame(error: PlinthError): PlinthError {
	// The message has its remedy already, which the new error would append again.
	const { remedy: _, ...spec } = error.spec;
	return new PlinthError(error.code, spec, { message: error.message, param: field, cause: error });
}
