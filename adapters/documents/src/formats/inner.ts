import { Refusal } from '../refusal.ts';
import type { ReadContext } from './format.ts';

/** The text that `read` returns for a file inside another one, or the reason for its failure in brackets. */
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

/** The line above the text of such a file: its name without controls, marks of direction and halves of characters. */
export function innerTitle(name = '', kind = ''): string {
	const shown = name.slice(0, 250).toWellFormed();
	return `--- ${kind}${shown.replace(/[\p{C}\p{Z}]+/gu, ' ').trim() || 'without a name'} ---`;
}
