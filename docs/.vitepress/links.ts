import { posix } from 'node:path';

/** Pages outside docs/ that the website shows too: their addresses by their paths in the repository. */
export type ForeignPages = ReadonlyMap<string, string>;

/**
 * The target of a link in a page of the website, or null for a file that the website does not show. `page` is a path
 * from docs/, `href` the link as it stands in the source of the page.
 */
export function targetOf(page: string, href: string, foreign: ForeignPages): string | null {
	if (/^(?:[a-z]+:|\/|#)/.test(href)) return href;
	const [path = '', hash] = href.split('#');
	const origin = sourceOf(page, foreign);
	const target = posix.join(posix.dirname(origin), path).replace(/\/$/, '');
	const tail = hash === undefined ? '' : `#${hash}`;
	const shown = foreign.get(target) ?? foreign.get(`${target}/README.md`);
	if (shown !== undefined) return `/${shown}${tail}`;
	const isPage = target.startsWith('docs/') && target.endsWith('.md');
	return isPage ? `/${target.slice('docs/'.length)}${tail}` : null;
}

/** The path in the repository of the file that a page comes from. */
function sourceOf(page: string, foreign: ForeignPages): string {
	const [source] = [...foreign].find(([, shown]) => shown === page) ?? [];
	return source ?? `docs/${page}`;
}
