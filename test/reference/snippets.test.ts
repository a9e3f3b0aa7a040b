import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configShape } from '../../core/kernel/src/engine/config/shape.ts';
import { root } from '../support/cli.ts';
import { plinthHere } from '../support/command.ts';
import { bootEmbedded } from '../support/serve.ts';
import { pagesOf, type Snippet, snippetsOf } from './snippets.ts';

const snippets = snippetsOf(pagesOf());
const of = (...languages: readonly string[]) => snippets.filter(({ language }) => languages.includes(language));

// The pages whose JavaScript is executed by tests. TypeScript is compiled as one program in typed.test.ts.
const runners: Readonly<Record<string, string>> = {
	'README.md': 'test/e2e/readme.test.ts',
	'docs/adapters/ai-sdk.md': 'examples/ai-sdk-app/test/app.test.ts',
	'docs/guides/write-a-backend.md': 'test/packages/guides.test.ts',
	'docs/guides/write-a-model.md': 'test/packages/guides.test.ts',
	'docs/guides/write-a-plugin.md': 'test/packages/guides.test.ts',
};

const wrong = (list: readonly Snippet[], isRight: (snippet: Snippet) => boolean) =>
	list.filter((snippet) => !isRight(snippet)).map(({ place }) => place);

test('every fenced block has a tested language, or is text', () => {
	const known = ['ts', 'js', 'yaml', 'json', 'sh', 'http', 'python', 'mermaid', ''];
	expect(snippets.length).toBeGreaterThan(100);
	expect(wrong(snippets, ({ language }) => known.includes(language))).toEqual([]);
});

test(`${of('js').length} blocks of JavaScript are on pages whose code a test runs`, () => {
	const isRun = ({ page }: Snippet) =>
		readFileSync(join(root, runners[page] ?? ''), 'utf8').includes(basename(page, '.md'));
	expect(wrong(of('js'), (snippet) => snippet.page in runners && isRun(snippet))).toEqual([]);
});

test(`${of('yaml').length} blocks of YAML are configs`, () => {
	expect(wrong(of('yaml'), ({ text }) => configShape.safeParse(parse(text)).success)).toEqual([]);
});

test(`${of('json').length} blocks of JSON are valid`, () => {
	const isJson = ({ text }: Snippet) => {
		try {
			return typeof JSON.parse(text) === 'object';
		} catch {
			return false;
		}
	};
	expect(wrong(of('json'), isJson)).toEqual([]);
});

describe(`${of('sh').length} blocks for a shell`, () => {
	test('are valid', () => {
		const isShell = ({ text }: Snippet) => spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' }).status === 0;
		expect(wrong(of('sh'), isShell)).toEqual([]);
	});

	test('use existing commands of plinth', async () => {
		// The error for an unknown command lists all commands.
		const { stderr } = await plinthHere(['no-command'], { cwd: root });
		const [, list = ''] = stderr.split('Commands:');
		const commands = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
		expect(commands).toContain('serve');
		const named = ({ text }: Snippet) =>
			[...text.matchAll(/(?:npx plinth|npm run plinth --) (\w+)/g)].map(([, name]) => name);
		const isKnown = (snippet: Snippet) => named(snippet).every((name) => commands.includes(name));
		expect(of('sh').flatMap(named).length).toBeGreaterThan(15);
		expect(wrong(of('sh'), isKnown)).toEqual([]);
	});

	test('use existing scripts of this repository', () => {
		const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
		const isKnown = ({ text }: Snippet) =>
			[...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].every(([, name = '']) => name in scripts);
		expect(wrong(of('sh'), isKnown)).toEqual([]);
	});

	describe('ask for paths', () => {
		let booted: Awaited<ReturnType<typeof bootEmbedded>>;

		beforeAll(async () => {
			booted = await bootEmbedded();
		});

		afterAll(() => booted?.stop());

		test('that exist in the default composition or on the page', () => {
			const { paths } = booted.app.openapi() as { readonly paths: object };
			const routes = Object.keys(paths).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));
			const isServed = ({ page, text }: Snippet) =>
				pathsIn(text).every(
					(path) =>
						routes.some((route) => route.test(path)) ||
						of('ts').some((each) => each.page === page && each.text.includes(`'${path}'`)),
				);
			expect(of('sh').flatMap(({ text }) => pathsIn(text)).length).toBeGreaterThan(25);
			expect(wrong(of('sh'), isServed)).toEqual([]);
		});
	});
});

/** The paths that are requested from the local server. */
function pathsIn(text: string): readonly string[] {
	const addresses = text.matchAll(/(?:localhost|127\.0\.0\.1):8080(\/[^\s'"?]*)/g);
	return [...addresses].map(([, path = '']) => path);
}
