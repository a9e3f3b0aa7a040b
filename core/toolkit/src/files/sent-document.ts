import {
	DataUrlError,
	decodeFileData,
	invalidValue,
	isAddress,
	isUpload,
	type UploadedFile,
	wrongType,
} from '@plinth/core';
import { mediaError } from '../errors.ts';
import type { EncodedDocument } from '../ports/document-reader.ts';

/** A document of a request, not parsed yet: a file, or the bytes of a short data URL. */
export type SentDocument = UploadedFile | Uint8Array;

/**
 * Parses the document in a field of a request body: a file, a data URL, or canonical base64 alone. Throws 400
 * errors that name `param`: `E_VALUE_TYPE`, `E_VALUE_INVALID` for other texts and for addresses, which are not
 * fetched, and `E_DOCUMENT_UNREADABLE` for damaged data.
 */
export function documentFromField(sent: unknown, param: string): SentDocument {
	if (isUpload(sent)) return sent;
	if (sent instanceof DataUrlError) throw unreadable(sent, param);
	if (typeof sent !== 'string') {
		throw wrongType(param, `${param}: a data URL is expected.`);
	}
	if (isAddress(sent) && !/^\s*data:/i.test(sent)) {
		throw invalidValue(
			param,
			`${param}: addresses are not fetched. Send the document itself, as data:application/pdf;base64,…`,
		);
	}
	const text = sent.trim();
	if (!isAddress(text) && !isCanonicalBase64(text)) {
		throw invalidValue(
			param,
			`${param}: a data URL (data:application/pdf;base64,…) or base64 alone is expected. The text is neither.`,
		);
	}
	try {
		return decodeFileData(text);
	} catch (error) {
		throw error instanceof DataUrlError ? unreadable(error, param) : error;
	}
}

/** The document as input of a `DocumentReader`. Files are not read into memory. */
export function encodedDocument(document: SentDocument): EncodedDocument {
	return isUpload(document) ? { path: document.path, sha256: document.sha256 } : document;
}

/**
 * Whether a text is base64 (RFC 4648 §4 or §5) as an encoder writes it, with or without padding: no other characters,
 * no bits beyond the last byte, and line breaks only after lines of equal length.
 */
function isCanonicalBase64(text: string): boolean {
	const lines = text.split(/\r?\n/);
	const [{ length } = ''] = lines;
	const isUniform = lines.slice(1, -1).every((line) => line.length === length) && (lines.at(-1) ?? '').length <= length;
	const digits = lines.join('').replaceAll('-', '+').replaceAll('_', '/');
	const encoded = Buffer.from(digits, 'base64').toString('base64');
	return isUniform && digits !== '' && (digits === encoded || digits === encoded.replace(/=+$/, ''));
}

function unreadable(cause: DataUrlError, param: string): Error {
	return mediaError('E_DOCUMENT_UNREADABLE', {
		param,
		message: `${param}: ${cause.message}.`,
		remedy: 'Encode the whole file as base64 and send it again.',
		cause,
	});
}
