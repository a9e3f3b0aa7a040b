import { Refusal } from '../refusal.ts';
import type { Content, ReadContext } from './format.ts';

/**
 * The text of a file inside another one, or one line in brackets that says why there is none: the rest of the outer document is worth
 * reading all the same. `read` brings its bytes.
 */
export async function innerText(
	context: ReadContext,
	read: () => Promise<Uint8Array | undefined>,
): Promise<{ readonly text: string; readonly refusal?: Refusal }> {
	try {
		return { text: wholeText(await context.readInner((await read()) ?? new Uint8Array())) };
	} catch (error) {
		if (!(error instanceof Refusal) || error.code === 'E_DOCUMENT_TIMEOUT') throw error;
		return { text: `[${error.sentence ?? sentences[error.code]}]`, refusal: error };
	}
}

/** The line above the text of a file inside another one. */
export function innerTitle(name: string | undefined, kind = ''): string {
	return `--- ${kind}${safeName(name) || 'without a name'} ---`;
}

/** A name as it may be shown: without control characters, marks that turn the direction of writing, and halves of characters. */
function safeName(name = ''): string {
	return name
		.slice(0, 250)
		.toWellFormed()
		.replace(/[\p{C}\p{Z}]+/gu, ' ')
		.trim();
}

function wholeText({ text, pages }: Content): string {
	return text ?? pages?.map((page) => page.text).join('\n\n') ?? '';
}

const sentences = {
	E_DOCUMENT_UNSUPPORTED: 'No text can be read from a file of this format.',
	E_DOCUMENT_UNREADABLE: 'The file cannot be read.',
	E_DOCUMENT_ENCRYPTED: 'The file needs a password to open.',
	E_DOCUMENT_TOO_LARGE: 'The file is too large.',
};
