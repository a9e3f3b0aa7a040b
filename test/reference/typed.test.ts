import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { pagesOf, snippetsOf } from './snippets.ts';
import { faultsOf, type Surroundings } from './typed.ts';

const typed = snippetsOf(pagesOf()).filter(({ language }) => language === 'ts' || language === 'js');

const read = 'declare const signal: AbortSignal;\ndeclare const path: string;';
const suite = (kind: string) => `
import { it } from 'vitest';
import { ${kind}ModelSuite } from '@plinth/plugin-${kind}/testing';
declare const create: Parameters<typeof ${kind}ModelSuite>[0]['create'];`;
const example = (kind: string, factory: string) =>
	`import { ${factory} } from '@plinth-examples/custom-${kind}-model';`;
const codec = "import type { ImageCodec } from '@plinth/toolkit';\ndeclare const images: ImageCodec;";

// Declarations that the text of the page has introduced in prose.
const surroundings: readonly Surroundings[] = [
	{ page: 'core/README.md', has: 'new ProcessPool', with: 'declare const signal: AbortSignal;' },
	{
		page: 'adapters/documents/README.md',
		has: 'documents.read',
		with: `${read}\nimport type { DocumentReader } from '@plinth/toolkit';\ndeclare const documents: DocumentReader;`,
	},
	{
		page: 'adapters/sharp/README.md',
		has: 'images.probe',
		with: `${read}\n${codec}\ndeclare const logo: Awaited<ReturnType<ImageCodec['fit']>>;`,
	},
	{ page: 'plugins/chat/README.md', has: 'chatModelSuite(', with: suite('chat') },
	{ page: 'plugins/image/README.md', has: 'imageModelSuite(', with: `${suite('image')}\n${codec}` },
	{
		page: 'examples/custom-chat-model/README.md',
		has: 'gpuChat',
		with: example('chat', 'gpuChat'),
	},
	{
		page: 'examples/custom-image-model/README.md',
		has: 'gpuImage',
		with: example('image', 'gpuImage'),
	},
	{
		page: 'examples/custom-video-model/README.md',
		has: 'gpuVideo',
		with: example('video', 'gpuVideo'),
	},
];

let dir: string;

beforeAll(async () => {
	dir = await temporaryDir('snippets');
});

afterAll(() => removeDir(dir));

test(`${typed.length} blocks of TypeScript and JavaScript in the pages compile unchanged`, async () => {
	expect(await faultsOf(dir, typed, surroundings)).toEqual([]);
});

test('an error names the page and the line of the block', async () => {
	const folder = await mkdtemp(join(dir, 'wrong-'));
	const snippet = { place: 'page.md:7', page: 'page.md', language: 'ts' };
	const faults = await faultsOf(folder, [
		{ ...snippet, text: 'models: { a: 1 }\n' },
		{ ...snippet, place: 'page.md:9', text: '// b.ts\nexport const b: string = 1;\n' },
		{ ...snippet, place: 'page.md:11', text: "import { b } from './b.ts';\n\nb.nothing();\n" },
	]);
	expect(faults.map((fault) => fault.slice(0, fault.indexOf(':', 8))).sort()).toEqual([
		...['page.md:11(3,3)', 'page.md:7(1,41)', 'page.md:9(2,14)'],
	]);
});
