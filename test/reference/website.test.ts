import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadAnchors } from '../../docs/.vitepress/anchors.ts';
import { targetOf } from '../../docs/.vitepress/links.ts';
import { packagePages } from '../../docs/.vitepress/packages.ts';
import { linksOf, sidebar } from '../../docs/.vitepress/sidebar.ts';
import { readablePages } from '../../scripts/readability.ts';
import { root } from '../support/cli.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const pages = readablePages()
	.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')
	.map((page) => page.slice('docs'.length).replace(/\.md$/, ''));

describe('the sidebar of the website', () => {
	const links = linksOf(sidebar).filter((link) => link !== '/api/');

	test('has every page once', () => {
		expect(pages.length).toBeGreaterThan(20);
		expect(pages.filter((page) => links.filter((link) => link === page).length !== 1)).toEqual([]);
	});

	test('links to existing pages', () => {
		expect(links.filter((link) => !pages.includes(link))).toEqual([]);
	});
});

describe('a link of a page', () => {
	const foreign = packagePages();
	const to = (page: string, href: string) => targetOf(page, href, foreign);

	test('leads to another page and its anchor', () => {
		expect(to('guides/run.md', '../models.md#pools')).toBe('/models.md#pools');
		expect(to('limits.md', 'reference/errors.md')).toBe('/reference/errors.md');
		expect(to('limits.md', '#bodies')).toBe('#bodies');
		expect(to('limits.md', '/guides/run')).toBe('/guides/run');
		expect(to('limits.md', 'https://example.com/a')).toBe('https://example.com/a');
	});

	test('leads to the page of a package, from its folder or its README', () => {
		expect(to('guides/run.md', '../../plugins/chat')).toBe('/packages/plugins/chat.md');
		expect(to('guides/run.md', '../../core/kernel/README.md#routes')).toBe('/packages/core/kernel.md#routes');
		expect(to('operating.md', '../SECURITY.md')).toBe('/packages/security.md');
	});

	test('in the page of a package is relative to its folder', () => {
		expect(to('packages/plugins/chat.md', '../image')).toBe('/packages/plugins/image.md');
		expect(to('packages/plugins/chat.md', '../../docs/limits.md')).toBe('/limits.md');
		expect(to('packages/cli.md', '../docs/operating.md#webhooks')).toBe('/operating.md#webhooks');
	});

	test('to a file that the website does not show has no target', () => {
		expect(to('packages/security.md', 'core/kernel/src/app.ts')).toBeNull();
		expect(to('guides/proxies.md', '../deploy/nginx.conf')).toBeNull();
	});

	test('of a package is a page of the website', () => {
		const packages = globSync('{core,plugins,adapters}/*/package.json', { cwd: root });
		const missing = packages.filter((file) => !foreign.has(file.replace('package.json', 'README.md')));
		expect(packages.length).toBeGreaterThan(15);
		expect(missing).toEqual([]);
	});
});

test('a link to a missing anchor is dead', async () => {
	const out = await temporaryDir('website');
	await writeFile(
		join(out, 'a.html'),
		'<h2 id="one">One</h2><a href="#one"></a><a href="#two"></a><a href="/b/#in"></a>',
	);
	await mkdir(join(out, 'b'));
	await writeFile(join(out, 'b/index.html'), '<p id="in"></p><a href="/a.html#one"></a><a href="/a.html#three"></a>');
	try {
		expect([...deadAnchors(out)].sort()).toEqual(['a.html: #two', 'b/index.html: /a.html#three']);
	} finally {
		await removeDir(out);
	}
});
