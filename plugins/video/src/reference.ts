import { invalidValue, type JobAttachment } from '@plinth/core';
import { type ImageCodec, imageFromField, probeImage, type ReferencedFiles, type RequestImage } from '@plinth/toolkit';

/** The name of the attachment that holds the picture. */
export const referenceName = 'reference';

const field = 'input_reference';
const maxUrlLength = 20_971_520;

/**
 * Parses the reference picture of a request body: a file, or an object with `image_url` (a data URL or an
 * address) or `file_id` (a stored file). The kernel turns the multipart field `input_reference[image_url]`
 * into that object. Throws 400 errors that name the parameter.
 */
export function readReference(value: unknown, files: ReferencedFiles): RequestImage {
	if (Array.isArray(value)) throw invalidValue(field, 'Only one reference picture is accepted.');
	return imageFromField(value, field, files, { maxUrlLength });
}

/**
 * Loads and probes the picture and makes it an attachment of the job. Throws a 400 error for an
 * unacceptable picture.
 */
export async function checkReference(
	image: RequestImage,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<JobAttachment> {
	const body = await image.load(signal);
	const { format } = await probeImage(body, field, images, signal);
	return { name: referenceName, mediaType: `image/${format}`, body };
}
