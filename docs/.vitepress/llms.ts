import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A group of pages for programs that read text. */
export interface TextGroup {
	readonly title: string;
	/** Paths of pages from docs/: `guides/run.md`. */
	readonly pages: readonly string[];
}

const about = `# Plinth

> A plugin kernel in TypeScript for generative-media APIs: video jobs, images, speech, chat and documents.
> It speaks the wire format of the OpenAI SDKs.

Each link is the Markdown source of a page. llms-full.txt has all of them in one file.
`;

/** Writes llms.txt, llms-full.txt and the sources of the pages beside the built website. */
export function writeTexts(docs: string, out: string, groups: readonly TextGroup[]): void {
	const sections = groups.map(({ title, pages }) => {
		const lines = pages.map((page) => `- [${titleOf(read(docs, page))}](/${page})`);
		return `## ${title}\n\n${lines.join('\n')}\n`;
	});
	writeFileSync(join(out, 'llms.txt'), [about, ...sections].join('\n'));
	const pages = groups.flatMap((group) => group.pages);
	writeFileSync(
		join(out, 'llms-full.txt'),
		pages.map((page) => `<!-- ${page} -->\n\n${read(docs, page)}`).join('\n\n'),
	);
	for (const page of pages) {
		mkdirSync(dirname(join(out, page)), { recursive: true });
		cpSync(join(docs, page), join(out, page));
	}
}

const read = (docs: string, page: string) => readFileSync(join(docs, page), 'utf8');

function titleOf(text: string): string {
	const [, title = 'Plinth'] = /^# (.+)$/m.exec(text) ?? [];
	return title.replaceAll('`', '');
}
