import { cpSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ForeignPages } from './links.ts';
import type { SidebarItem } from './sidebar.ts';

const root = resolve(import.meta.dirname, '../..');

/** The pages that show READMEs of packages and examples, by the paths of the READMEs in the repository. */
export function packagePages(): ForeignPages {
	const readmes = globSync(['{core,plugins,adapters,examples}/*/README.md', 'cli/README.md'], { cwd: root });
	const paths = readmes.filter((path) => !path.includes('node_modules')).sort();
	const pages = paths.map((path): [string, string] => [path, `packages/${dirname(path)}.md`]);
	return new Map([...pages, ['SECURITY.md', 'packages/security.md'], ['CHANGELOG.md', 'packages/changelog.md']]);
}

/** Copies these pages to where VitePress finds them. */
export function copyPackagePages(pages: ForeignPages): void {
	rmSync(join(root, 'docs/packages'), { recursive: true, force: true });
	for (const [source, page] of pages) {
		const target = join(root, 'docs', page);
		mkdirSync(dirname(target), { recursive: true });
		cpSync(join(root, source), target);
	}
}

/** The pages as a group of the sidebar, by their headings. */
export function packageSidebar(pages: ForeignPages): SidebarItem {
	const items = [...pages].map(([source, page]): SidebarItem => {
		const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, source), 'utf8')) ?? [];
		return { text: title?.replaceAll('`', '') ?? page, link: `/${page.replace(/\.md$/, '')}` };
	});
	return { text: 'Packages', collapsed: true, items };
}
