import { Refusal } from '../refusal.ts';
import type { ReadContext } from './format.ts';

/** The text of a file inside another one, whose bytes `read` returns; or the reason of a failure, in brackets. */
export async function innerText(context: ReadContext, read: () => Promise<Uint8Array>) {
	try {
		const { text, pages = [] } = await context.readInner(await read());
		return { text: text ?? pages.map((page) => page.text).join('\n\n') };
	} catch (error) {
		if (!(error instanceof Refusal) || error.code === 'E_DOCUMENT_TIMEOUT') throw error;
		return { text: `[${error.sentence ?? sentences[error.code]}]`, refusal: error };
	}
}

const sentences = {
	E_DOCUMENT_UNSUPPORTED: 'No text can be read from a file of this format.',
	E_DOCUMENT_UNREADABLE: 'The file cannot be read.',
	E_DOCUMENT_ENCRYPTED: 'The file needs a password to open.',
	E_DOCUMENT_TOO_LARGE: 'The file is too large.',
};

/** The line above the text of such a file: its name without control characters, direction marks and lone surrogates. */
export function innerTitle(name = '', kind = ''): string {
	const shown = name.slice(0, 250).toWellFormed();
	return `--- ${kind}${shown.replace(/[\p{C}\p{Z}]+/gu, ' ').trim() || 'without a name'} ---`;
}
