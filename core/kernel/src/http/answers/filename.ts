import contentDisposition from 'content-disposition';

/** The longest name in code points: most file systems accept it, and it keeps headers short. */
const maxLength = 255;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * A client's file name for display and never a path: without directories, control characters and marks that change the
 * direction of text (`gpj.exe` must not look like `exe.jpg`), at most 255 characters. It may be empty.
 */
export function shownFilename(name: string): string {
	const [last = ''] = name.split(/[/\\]/).slice(-1);
	const visible = last.toWellFormed().replace(invisible, '').trim();
	return /^\.*$/.test(visible) ? '' : shortened(visible);
}

/** The header `Content-Disposition` (RFC 6266) of a file for download, with a name in ASCII for old clients. */
export function attachment(name: string): string {
	const shown = shownFilename(name);
	return contentDisposition(shown, { fallback: shown.replace(/[^ -~]/gu, '?') });
}

/** Keeps the file extension, from which programs derive the type. */
function shortened(name: string): string {
	const characters = [...name];
	if (characters.length <= maxLength) return name;
	const [ending = ''] = /\.[A-Za-z0-9]{1,16}$/.exec(name) ?? [];
	return characters.slice(0, maxLength - ending.length).join('') + ending;
}
