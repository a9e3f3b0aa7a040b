import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { deadAnchors } from './anchors.ts';
import { type TextGroup, writeTexts } from './llms.ts';
import { renderRepository } from './markdown.ts';
import { copyPackagePages, packagePages, packageSidebar } from './packages.ts';
import { linksOf, sidebar } from './sidebar.ts';

const docs = resolve(import.meta.dirname, '..');
const packages = packagePages();
copyPackagePages(packages);
const groups = [...sidebar, packageSidebar(packages)];

export default defineConfig({
	title: 'Plinth',
	description: 'One API for your media models: video jobs, images, speech, chat and documents',
	lang: 'en',
	outDir: 'dist',
	cacheDir: 'node_modules/.cache/vitepress',
	lastUpdated: false,
	// Addresses of a server that a reader runs are no pages of the website.
	ignoreDeadLinks: [/^https?:\/\/(?:localhost|127\.0\.0\.1)/],
	head: [['link', { rel: 'icon', href: '/logo.svg', type: 'image/svg+xml' }]],
	themeConfig: {
		logo: '/logo.svg',
		nav: [
			{ text: 'Guides', link: '/guides/run', activeMatch: '^/guides/' },
			{ text: 'Concepts', link: '/concepts/request', activeMatch: '^/concepts/' },
			{ text: 'Reference', link: '/reference/config', activeMatch: '^/(reference|limits|api)' },
			{ text: 'Compare', link: '/comparison' },
		],
		sidebar: { '/': groups as DefaultTheme.SidebarItem[], '/api/': apiSidebar() },
		outline: [2, 3],
		search: { provider: 'local', options: { detailedView: false, _render: searchText } },
		docFooter: { prev: 'Previous', next: 'Next' },
	},
	markdown: { config: (md) => renderRepository(md, packages) },
	buildEnd({ outDir }) {
		const dead = deadAnchors(outDir);
		if (dead.length > 0) throw new Error(`These links lead to places that are not there:\n${dead.join('\n')}`);
		writeTexts(docs, outDir, textGroups());
	},
});

function apiSidebar(): DefaultTheme.SidebarItem[] {
	const own = JSON.parse(readFileSync(join(docs, 'api/typedoc-sidebar.json'), 'utf8'));
	return [{ text: 'Back to the guides', link: '/guides/run' }, ...own];
}

/** Of the API of the packages, names alone can be searched: their text would be most of the index. */
function searchText(
	text: string,
	env: { relativePath: string },
	md: { render(text: string, env: object): string },
): string {
	const isApi = env.relativePath.startsWith('api/');
	const source = isApi
		? text
				.split('\n')
				.filter((line) => /^#{1,3} /.test(line))
				.join('\n\n')
		: text;
	return md.render(source, env);
}

function textGroups(): readonly TextGroup[] {
	return groups.map(({ text, items = [] }) => ({
		title: text,
		pages: linksOf(items)
			.filter((link) => !link.startsWith('/api'))
			.map((link) => `${link.slice(1)}.md`),
	}));
}
