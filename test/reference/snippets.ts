import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/cli.ts';

/** A fenced block of a page. */
export interface Snippet {
	/** The page and the line where the block begins: `core/README.md:12`. */
	readonly place: string;
	readonly page: string;
	/** Empty for a fence without a language. */
	readonly language: string;
	readonly text: string;
}

/** The pages in the root, of every package and in `docs`. */
export function pagesOf(): readonly string[] {
	const pages = [
		'*.md',
		'{core/*,cli,cli/create-plinth,bench}/*.md',
		'{adapters,plugins,examples}/*/*.md',
		'docs/**/*.md',
	];
	return globSync(pages, { cwd: root, exclude: ['docs/{node_modules,dist,api,packages,.vitepress}/**'] }).sort();
}

/** Every fenced block of these pages. */
export function snippetsOf(pages: readonly string[]): readonly Snippet[] {
	return pages.flatMap((page) => {
		const text = readFileSync(join(root, page), 'utf8');
		return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map((match): Snippet => {
			const [, language = '', code = ''] = match;
			const line = text.slice(0, match.index).split('\n').length;
			return { place: `${page}:${line}`, page, language, text: code };
		});
	});
}
