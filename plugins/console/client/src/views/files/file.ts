/** A file as the API returns it. */
export interface StoredFile {
	readonly id: string;
	readonly filename: string;
	readonly bytes: number;
	readonly created_at: number;
	readonly expires_at?: number;
	readonly purpose: string;
	readonly media_type: string;
}

/** The purposes that `POST /v1/files` accepts. */
export const purposes = ['user_data', 'assistants', 'batch', 'fine-tune', 'vision', 'evals'] as const;

/** Seconds until a file expires, with labels; an empty text for never. */
export const lifetimes = [
	['', 'Never'],
	['3600', 'After an hour'],
	['86400', 'After a day'],
	['604800', 'After a week'],
	['2592000', 'After 30 days'],
] as const;

/** How a file is shown. Files of an unknown type are tried as `text`. */
export type PreviewKind = 'image' | 'audio' | 'video' | 'text' | 'none';

/** The kind of preview for a media type, which the server has detected from the content. */
export function previewKind(mediaType: string): PreviewKind {
	const [kind = ''] = mediaType.split('/');
	if (mediaType === 'image/svg+xml') return 'text';
	if (kind === 'image' || kind === 'audio' || kind === 'video') return kind;
	return mediaType === 'application/octet-stream' || kind === 'text' ? 'text' : 'none';
}

/** The start of a text in UTF-8; undefined for other bytes. With `isCut`, the last character may be incomplete. */
export function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
	if (bytes.includes(0)) return undefined;
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
	} catch {
		return undefined;
	}
}

/** The multipart body of an upload. */
export function formOf(file: File, purpose: string, lifetime: string): FormData {
	const form = new FormData();
	form.set('purpose', purpose);
	if (lifetime !== '') {
		form.set('expires_after[anchor]', 'created_at');
		form.set('expires_after[seconds]', lifetime);
	}
	form.set('file', file);
	return form;
}
