import { invalidValue, isPlinthError, isUpload, plinthError, wrongType } from '@plinth/core';
import { documentFromField, mediaError, type ReferencedFiles, type SentDocument } from '@plinth/toolkit';
import { maxFiles } from './fields.ts';

/** A document of a request, the id of a stored file, or the error of decoding it. */
export interface RequestDocument {
	/** The client's label. */
	readonly filename: string | undefined;
	readonly content:
		| { readonly document: SentDocument }
		| { readonly fileId: string; readonly param: string }
		| { readonly error: unknown };
}

/**
 * Parses the documents of a body: files, or objects with a data URL or a file id. Throws errors that name
 * the exact parameter (`files[1].url`) for an invalid request. Damaged data and unknown ids become errors
 * of their own document.
 */
export function findDocuments(
	{ files, file }: { readonly files?: unknown; readonly file?: unknown },
	referenced: ReferencedFiles,
): readonly RequestDocument[] {
	const sent = [...listOf(files, 'files'), ...listOf(file, 'file')];
	if (sent.length === 0) {
		throw plinthError('E_VALUE_MISSING', {
			param: 'files',
			message: 'files: at least one document is required.',
		});
	}
	if (sent.length > maxFiles) {
		throw invalidValue('files', `files: at most ${maxFiles} documents are accepted, but ${sent.length} were sent.`);
	}
	return sent.map(({ value, param }) => toDocument(value, param, referenced));
}

interface DocumentField {
	readonly value: unknown;
	readonly param: string;
}

function listOf(value: unknown, name: string): DocumentField[] {
	if (value === undefined || value === null) return [];
	if (isUpload(value)) return [{ value, param: name }];
	if (Array.isArray(value)) {
		return value.map((item, index) => ({ value: item, param: `${name}[${index}]` }));
	}
	throw wrongType(name, `${name}: a list of objects with url or file_id is expected, or files in a multipart body.`);
}

function toDocument(value: unknown, param: string, referenced: ReferencedFiles): RequestDocument {
	if (isUpload(value)) {
		return { filename: value.filename || undefined, content: decode(value, param) };
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw wrongType(param, `${param}: an object with url or file_id is expected.`);
	}
	const { url, filename, media_type: label, file_id: id } = value as Record<string, unknown>;
	const content = contentOf(url, id, param, referenced);
	checkLabel(label, `${param}.media_type`);
	return { filename: checkLabel(filename, `${param}.filename`), content };
}

function contentOf(url: unknown, id: unknown, param: string, referenced: ReferencedFiles): RequestDocument['content'] {
	const hasUrl = (url ?? '') !== '';
	if ((id ?? undefined) !== undefined) {
		if (hasUrl) throw invalidValue(param, `${param}: send exactly one of url and file_id.`);
		return { fileId: referenced.checkId(id, `${param}.file_id`), param: `${param}.file_id` };
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
	throw wrongType(param, `${param}: a text is expected.`);
}

function decode(sent: unknown, param: string): RequestDocument['content'] {
	try {
		const document = documentFromField(sent, param);
		if (isUpload(document) && document.size === 0) return { error: emptyError(param) };
		return { document };
	} catch (error) {
		if (isPlinthError(error) && error.code === 'E_DOCUMENT_UNREADABLE') return { error };
		throw error;
	}
}

/** The same error as for a data URL without data. */
function emptyError(param: string): unknown {
	return mediaError('E_DOCUMENT_UNREADABLE', { param, message: `${param}: it holds no data.` });
}
