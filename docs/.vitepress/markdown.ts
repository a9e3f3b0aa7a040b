import type { MarkdownOptions } from 'vitepress';
import { drawing } from './drawings.ts';
import { type ForeignPages, targetOf } from './links.ts';

type Renderer = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Rule = NonNullable<Renderer['renderer']['rules'][string]>;

const plain: Rule = (tokens, index, options, _env, self) => self.renderToken(tokens, index, options);

/** Links of the repository lead to pages of the website, and the drawings of docs/public stand in the pages. */
export function renderRepository({ renderer: { rules } }: Renderer, foreign: ForeignPages): void {
	const { link_open: openLink = plain, image = plain } = rules;
	rules.link_open = (tokens, index, options, env, self) => {
		const [link, ...rest] = tokens.slice(index);
		const target = targetOf(env.relativePath, link?.attrGet('href') ?? '', foreign);
		if (target !== null) {
			link?.attrSet('href', target);
			return openLink(tokens, index, options, env, self);
		}
		// A file that the website does not show: its name stays, without a link.
		for (const token of [link, rest.find(({ type }) => type === 'link_close')]) {
			if (token) Object.assign(token, { tag: 'span', attrs: null });
		}
		return plain(tokens, index, options, env, self);
	};
	rules.image = (tokens, index, ...others) => {
		const src = tokens[index]?.attrGet('src') ?? '';
		return /\bpublic\/[\w-]+\.svg$/.test(src) ? drawing(src) : image(tokens, index, ...others);
	};
}
