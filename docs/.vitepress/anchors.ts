import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Links of a built website to places that their pages do not have: `guides/run.html: /models.html#pool`.
 * VitePress itself checks pages only. The pages of the API are left out: typedoc gives two of its headings other names
 * than VitePress does.
 */
export function deadAnchors(out: string): readonly string[] {
	const pages = new Map(
		globSync('**/*.html', { cwd: out }).map((page) => [page, readFileSync(join(out, page), 'utf8')]),
	);
	const ids = new Map([...pages].map(([page, html]) => [page, new Set(found(html, / id="([^"]+)"/g))]));
	const checked = [...pages].filter(([page]) => !page.startsWith('api/'));
	return checked.flatMap(([page, html]) =>
		found(html, / href="((?!\w+:)[^"]*#[^"]+)"/g).flatMap((href) => {
			const [path = '', place = ''] = href.split('#');
			const target = path === '' ? `/${page}` : posix.resolve('/', posix.dirname(page), path);
			const file = (path.endsWith('/') ? posix.join(target, 'index.html') : target).slice(1);
			return ids.get(file)?.has(decodeURIComponent(place)) ? [] : [`${page}: ${href}`];
		}),
	);
}

const found = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, text = '']) => text);
