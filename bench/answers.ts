import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from './harness/bench.ts';
import { documentsFolder } from './harness/facts.ts';
import { type Server, startServer } from './harness/server.ts';

/** A question about a document, the pages that answer it, and texts of which the answer quotes one. */
interface Question {
	readonly question: string;
	readonly pages: readonly number[];
	readonly facts: readonly string[];
}

/** Questions about documents over HTTP: how many answers of the built-in model quote the right page. */
export const answers: Bench = {
	name: 'answers',
	about: 'questions about PDFs: answers of builtin-chat that quote the right page',
	needs: [],
	async run() {
		const folder = documentsFolder();
		const file = new URL('./data/questions.json', import.meta.url);
		const sets = JSON.parse(await readFile(file, 'utf8')) as Record<string, readonly Question[]>;
		const server = await startServer();
		try {
			const right: number[] = [];
			for (const [name, questions] of Object.entries(sets)) {
				const data = await readFile(join(folder, name), 'base64');
				let count = 0;
				for (const each of questions) {
					if (isRight(await ask(server, data, each.question), each)) count += 1;
				}
				right.push(count);
			}
			const all = Object.values(sets).flat().length;
			return [
				{
					name: `answers to ${all} questions that quote the right page`,
					unit: 'answers',
					ours: right.reduce((sum, count) => sum + count, 0),
					goal: { of: 'value', bound: 'at least', limit: 42 },
					rounds: { ours: right },
					note: 'the rounds are the documents; the questions were looked at while the model was made',
				},
			];
		} finally {
			await server.stop();
		}
	},
};

async function ask(server: Server, data: string, question: string): Promise<string> {
	const content = [
		{
			type: 'file',
			file: { filename: 'document.pdf', file_data: `data:application/pdf;base64,${data}` },
		},
		{ type: 'text', text: question },
	];
	const answer = await server.fetch('/v1/chat/completions', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'builtin-chat', messages: [{ role: 'user', content }] }),
	});
	const { choices } = (await answer.json()) as {
		readonly choices: readonly { readonly message: { readonly content: string } }[];
	};
	return choices[0]?.message.content ?? '';
}

/** Right is what cites one of the pages, quotes one of the texts, and does not say that nothing was found. */
function isRight(answer: string, { pages, facts }: Question): boolean {
	const text = answer.replace(/\s+/g, ' ').toLowerCase();
	const cited = [...text.matchAll(/, page (\d+)\)/g)].map(([, page]) => Number(page));
	const isThere = facts.some((fact) => text.includes(fact.toLowerCase()));
	return isThere && cited.some((page) => pages.includes(page)) && !text.startsWith('not found');
}
