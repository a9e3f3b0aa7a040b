import { Threads, threadFile } from '../threads.ts';
import type { Conversation, ToolResult } from './conversation.ts';
import { type Passage, passagesOf, type SearchedDocument } from './passages.ts';
import type { SearchJob } from './search.ts';
import { questionTerms } from './words.ts';

const selfDescription =
	'I am builtin-chat, an offline demo model without a neural network. I search the documents that are attached to a ' +
	'message for the words of the question, and quote the passages that match best, with file and page.';
const usage =
	'Attach a document as a part of the message (PDF, Office, HTML, text and others) and ask about it: ' +
	'{"type": "file", "file": {"filename": "report.pdf", "file_data": "data:application/pdf;base64,…"}}.';
/** A message without a question about documents. */
const withoutQuestion =
	/^\W*(?:hello|hi|hey|good (?:morning|day|afternoon|evening)|wh(?:o|at) are you|what can you do|help)(?: there)?\W*$/i;
/** Maximum characters that are quoted from a tool's result, and that are read from the start of a page. */
const maxResult = 4_000;
const maxBeginning = 20_000;
const maxBeginnings = 5;
/** Maximum characters that the main thread searches itself, which takes 3 ms. A worker thread needs 15 MB. */
const maxInline = 20_000;

/** Searches long documents in threads. */
export class Searcher {
	readonly #threads = new Threads<SearchJob, readonly Passage[]>({
		file: threadFile(import.meta.url, './search-worker'),
		threads: 2,
	});

	/** Answers the last user message with passages of the documents, or with the reason why there are none. */
	async answer({ documents, question, results }: Conversation, signal: AbortSignal): Promise<string> {
		if (results.length > 0) return results.map(quotedResult).join('\n\n');
		if (withoutQuestion.test(question) || documents.length === 0) return `${selfDescription} ${usage}`;
		// Without `text`, which repeats the pages.
		const searched = documents.map(({ filename, hasPages, pages }) => ({ filename, hasPages, pages }));
		const terms = questionTerms(question);
		if (terms.length === 0) return beginningsOf(searched);
		const passages = await this.#search({ documents: searched, terms }, signal);
		if (passages.length === 0) return 'Not found in the attached documents: no passage has the words of the question.';
		return ['The attached documents say:', ...passages.map(quoted)].join('\n\n');
	}

	async #search(job: SearchJob, signal: AbortSignal): Promise<readonly Passage[]> {
		const pages = job.documents.flatMap((document) => document.pages);
		const length = pages.reduce((sum, { text }) => sum + text.length, 0);
		if (length > maxInline) return this.#threads.run(job, { signal });
		return (await import('./search.ts')).search(job);
	}

	/** Ends the threads. */
	close(): Promise<void> {
		return this.#threads.close();
	}
}

/** The first passage of each document. */
function beginningsOf(documents: readonly SearchedDocument[]): string {
	const firsts = documents.flatMap((document) => {
		const pages = document.pages.map(({ page, text }) => ({ page, text: text.slice(0, maxBeginning) }));
		const { value } = passagesOf({ ...document, pages }).next();
		return value ? [quoted(value)] : [];
	});
	if (firsts.length === 0) return 'The attached documents have no text.';
	return ['The attached documents begin:', ...[...new Set(firsts)].slice(0, maxBeginnings)].join('\n\n');
}

function quoted({ text, filename, page }: Passage): string {
	return `“${text}” (${filename}${page === undefined ? '' : `, page ${page}`})`;
}

function quotedResult({ name, text }: ToolResult): string {
	return `${name} returned: ${text.length > maxResult ? `${text.slice(0, maxResult)}…` : text}`;
}
