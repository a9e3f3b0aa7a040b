import { openAsBlob } from 'node:fs';
import type { FormData } from 'undici';
import type { FormPart, RequestBody } from './request.ts';

/** A body for undici, and its headers. */
export interface Content {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | FormData | null;
}

/** Creates the body of one attempt; `form` creates an empty form. Files of forms are read while they are sent. */
export async function contentOf(body: RequestBody | undefined, form: () => FormData): Promise<Content> {
	if (!body) return { headers: {}, body: null };
	if ('json' in body) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body.json) };
	// undici sets the content type of a form.
	return { headers: {}, body: await fillForm(form(), body.form) };
}

async function fillForm(form: FormData, parts: readonly FormPart[]): Promise<FormData> {
	for (const part of parts) {
		if ('value' in part) form.append(part.name, part.value);
		else form.append(part.name, await blobOf(part.file, part.mediaType), part.filename);
	}
	return form;
}

function blobOf(file: Uint8Array | { readonly path: string }, type: string): Promise<Blob> | Blob {
	if ('path' in file) return openAsBlob(file.path, { type });
	return new Blob([file as Uint8Array<ArrayBuffer>], { type });
}
