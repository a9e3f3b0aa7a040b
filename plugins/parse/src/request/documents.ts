import { invalidValue, isPlinthError, isUpload, plinthError } from '@plinth/core';
import { mediaError, type NamedFiles, type SentDocument, sentDocument } from '@plinth/toolkit';

/** Most documents of one request. */
export const maxFiles = 64;

/** A document of a request, the id of a stored one, or why its bytes could not even be decoded. */
export interface Submitted {
	/** The client's label. */
	readonly filename: string | undefined;
	readonly content:
		| { readonly document: SentDocument }
		| { readonly fileId: string; readonly param: string }
		| { readonly error: unknown };
}

/**
 * Finds the documents in a body: files, and objects with a data URL or the id of a stored file. Throws errors that name the exact parameter
 * (`files[1].url`) for a request that is not what it should be; damaged data, and an id that leads to nothing, are the matter of their own document.
 */
export function findDocuments(
	{ files, file }: { readonly files?: unknown; readonly file?: unknown },
	named: NamedFiles,
): readonly Submitted[] {
	const sent = [...listOf(files, 'files'), ...listOf(file, 'file')];
	if (sent.length === 0) {
		throw plinthError('E_VALUE_MISSING', {
			param: 'files',
			message: 'files: at least one document is required.',
		});
	}
	if (sent.length > maxFiles) {
		throw invalidValue(
			'files',
			`files: at most ${maxFiles} documents are taken, but ${sent.length} were sent.`,
		);
	}
	return sent.map(({ value, param }) => find(value, param, named));
}

interface Sent {
	readonly value: unknown;
	readonly param: string;
}

function listOf(value: unknown, name: string): Sent[] {
	if (value === undefined || value === null) return [];
	if (isUpload(value)) return [{ value, param: name }];
	if (Array.isArray(value)) {
		return value.map((item, index) => ({ value: item, param: `${name}[${index}]` }));
	}
	throw plinthError('E_VALUE_TYPE', {
		param: name,
		message: `${name}: a list of objects with url or file_id is expected, or files in a multipart body.`,
	});
}

function find(value: unknown, param: string, named: NamedFiles): Submitted {
	if (isUpload(value)) {
		return { filename: value.filename || undefined, content: decode(value, param) };
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw plinthError('E_VALUE_TYPE', {
			param,
			message: `${param}: an object with url or file_id is expected.`,
		});
	}
	const { url, filename, media_type: label, file_id: id } = value as Record<string, unknown>;
	const content = contentOf(url, id, param, named);
	checkLabel(label, `${param}.media_type`);
	return { filename: checkLabel(filename, `${param}.filename`), content };
}

function contentOf(
	url: unknown,
	id: unknown,
	param: string,
	named: NamedFiles,
): Submitted['content'] {
	const hasUrl = (url ?? '') !== '';
	if ((id ?? undefined) !== undefined) {
		if (hasUrl) throw invalidValue(param, `${param}: send exactly one of url and file_id.`);
		return { fileId: named.checkId(id, `${param}.file_id`), param: `${param}.file_id` };
	}
	if (hasUrl) return decode(url, `${param}.url`);
	throw plinthError('E_VALUE_MISSING', {
		param: `${param}.url`,
		message: `${param}.url: a data URL is required.`,
	});
}

function checkLabel(value: unknown, param: string): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string') return value;
	throw plinthError('E_VALUE_TYPE', { param, message: `${param}: a text is expected.` });
}

function decode(sent: unknown, param: string): Submitted['content'] {
	try {
		const document = sentDocument(sent, param);
		if (isUpload(document) && document.size === 0) return { error: empty(param) };
		return { document };
	} catch (error) {
		if (isPlinthError(error) && error.code === 'E_DOCUMENT_UNREADABLE') return { error };
		throw error;
	}
}

/** The same as what is said of a data URL without data. */
function empty(param: string): unknown {
	return mediaError('E_DOCUMENT_UNREADABLE', { param, message: `${param}: it holds no data.` });
}
