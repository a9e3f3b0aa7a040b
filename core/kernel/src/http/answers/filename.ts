import contentDisposition from 'content-disposition';

/** Longest name that is kept, in code points: what most file systems take, and a header stays short with it. */
const maxLength = 255;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * The name of a client's file as it may be shown: without directories, control characters and marks that turn the
 * direction of writing (`gpj.exe` must not look like `exe.jpg`), at most 255 characters. Empty when nothing is left.
 * It is metadata and never a path.
 */
export function shownFilename(name: string): string {
	const [last = ''] = name.split(/[/\\]/).slice(-1);
	const seen = last.toWellFormed().replace(unseen, '').trim();
	return /^\.*$/.test(seen) ? '' : shortened(seen);
}

/** The header `Content-Disposition` (RFC 6266) of a file for download, with a name in ASCII for old clients. */
export function attachment(name: string): string {
	const shown = shownFilename(name);
	return contentDisposition(shown, { fallback: shown.replace(/[^ -~]/gu, '?') });
}

/** Keeps the ending, by which programs tell the type. */
function shortened(name: string): string {
	const characters = [...name];
	if (characters.length <= maxLength) return name;
	const [ending = ''] = /\.[A-Za-z0-9]{1,16}$/.exec(name) ?? [];
	return characters.slice(0, maxLength - ending.length).join('') + ending;
}
