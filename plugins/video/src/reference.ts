import { invalidValue, type JobAttachment } from '@plinth/core';
import {
	type FoundImage,
	type ImageCodec,
	type NamedFiles,
	probeSent,
	sentImage,
} from '@plinth/toolkit';

/** The name of the attachment that holds the picture. */
export const referenceName = 'reference';

const field = 'input_reference';
const maxUrlLength = 20_971_520;

/**
 * Finds the picture in a request body: a file, or an object with a data URL or an address in `image_url`, or with the id of a stored file in
 * `file_id`; the kernel has folded the multipart spelling `input_reference[image_url]` into that object. Undefined when there is none; throws 400
 * errors that name the parameter.
 */
export function readReference(sent: unknown, named: NamedFiles): FoundImage | undefined {
	if (sent === undefined || sent === null) return undefined;
	if (Array.isArray(sent)) throw invalidValue(field, 'Only one reference picture is taken.');
	return sentImage(sent, field, named, { maxUrlLength });
}

/** Brings the bytes, looks at them, and makes them an attachment of the job; throws a 400 error when they are no acceptable picture. */
export async function checkReference(
	found: FoundImage,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<JobAttachment> {
	const body = await found.bring(signal);
	const { format } = await probeSent(body, field, images, signal);
	return { name: referenceName, mediaType: `image/${format}`, body };
}
