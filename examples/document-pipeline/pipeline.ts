import type OpenAI from 'openai';

/** A document of the pipeline. */
export interface Source {
	readonly filename: string;
	/** A base64 data URL. */
	readonly url: string;
}

/** The extracted text of a document. */
export interface Extract {
	readonly filename: string;
	/** The text per page; formats without pages have one entry. */
	readonly pages: readonly { readonly page: number; readonly text: string }[];
}

/** An answer to one question, with its quotes. */
export interface Finding {
	readonly question: string;
	readonly answer: string;
	readonly quotes: readonly {
		readonly text: string;
		readonly filename: string;
		readonly page: number;
	}[];
}

interface Parsed {
	readonly results: readonly {
		readonly content: { readonly pages?: Extract['pages']; readonly text?: string };
		readonly error?: { readonly message: string };
	}[];
}

/** 1. Extract: each document is read once. The server caches its text, so the questions below do not read it again. */
export async function extract(client: OpenAI, sources: readonly Source[]): Promise<readonly Extract[]> {
	const address = new URL('/api/attachments/parse', client.baseURL).href;
	const { results } = await client.post<Parsed>(address, { body: { files: sources } });
	return sources.map(({ filename }, index) => {
		const { content, error } = results[index] ?? { content: {} };
		if (error) throw new Error(`${filename}: ${error.message}`);
		return { filename, pages: content.pages ?? [{ page: 1, text: content.text ?? '' }] };
	});
}

/** 2. Verify: warnings about the extracted text. */
export function verify(extracts: readonly Extract[]): readonly string[] {
	return extracts.flatMap(({ filename, pages }) => {
		const empty = pages.filter(({ text }) => text.trim() === '').map(({ page }) => page);
		return empty.length > 0 ? [`${filename}: no text on page ${empty.join(', ')}.`] : [];
	});
}

/** 3. Analyse: asks each question about all documents. */
export function analyse(
	client: OpenAI,
	model: string,
	sources: readonly Source[],
	questions: readonly string[],
): Promise<readonly Finding[]> {
	return Promise.all(
		questions.map(async (question) => {
			const answer = await ask(client, model, sources, question);
			return { question, answer, quotes: quotesOf(answer) };
		}),
	);
}

/** Verify again: the quotes of the findings that are not on the page that they name. */
export function unproven(findings: readonly Finding[], extracts: readonly Extract[]): readonly string[] {
	const plain = (text: string) => text.replace(/\s+/g, ' ');
	return findings.flatMap(({ quotes }) =>
		quotes
			.filter(({ text, filename, page }) => {
				const pages = extracts.find((each) => each.filename === filename)?.pages ?? [];
				const found = pages.find((each) => each.page === page);
				return !plain(found?.text ?? '').includes(plain(text));
			})
			.map(({ text, filename, page }) => `${filename}, page ${page}: “${text}”`),
	);
}

/** 4. Write the memo, in Markdown: a summary, the findings, and what is open. */
export async function writeMemo(
	client: OpenAI,
	model: string,
	sources: readonly Source[],
	{ findings, doubts }: { readonly findings: readonly Finding[]; readonly doubts: readonly string[] },
): Promise<string> {
	const summary = await ask(client, model, sources, 'Summarise the attached documents.');
	return [
		'# Memo',
		summary,
		'## Findings',
		...findings.map(({ question, answer }) => `**${question}** ${answer}`),
		'## Open',
		doubts.length > 0 ? doubts.map((doubt) => `- ${doubt}`).join('\n') : 'Nothing.',
		`Sources: ${sources.map(({ filename }) => filename).join(', ')}.\n`,
	].join('\n\n');
}

/** All stages in order. */
export async function memoOf(
	client: OpenAI,
	model: string,
	sources: readonly Source[],
	questions: readonly string[],
): Promise<string> {
	const extracts = await extract(client, sources);
	const findings = await analyse(client, model, sources, questions);
	const doubts = [...verify(extracts), ...unproven(findings, extracts)];
	return writeMemo(client, model, sources, { findings, doubts });
}

async function ask(client: OpenAI, model: string, sources: readonly Source[], question: string): Promise<string> {
	const files = sources.map(({ filename, url }) => ({
		type: 'file' as const,
		file: { filename, file_data: url },
	}));
	const content = [...files, { type: 'text' as const, text: question }];
	const { choices } = await client.chat.completions.create({
		model,
		messages: [
			{ role: 'system', content: 'Quote what you rely on: “…” (file, page N).' },
			{ role: 'user', content },
		],
	});
	return choices[0]?.message.content ?? '';
}

function quotesOf(answer: string): Finding['quotes'] {
	// Formats without pages have one page.
	const quotes = answer.matchAll(/“([^”]+)” \((.+?)(?:, page (\d+))?\)(?=\s|$)/g);
	return [...quotes].map(([, text = '', filename = '', page = 1]) => ({
		text,
		filename,
		page: Number(page),
	}));
}
