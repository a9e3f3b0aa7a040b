import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { plinth } from '../../test/support/cli.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';
import { type ParseFlags, parse } from '../src/commands/parse.ts';
import { reportPdf } from '../src/demo/report-pdf.ts';

const config = join(import.meta.dirname, 'fixtures/scripted-reader/plinth.config.ts');

let dir: string;

beforeAll(async () => {
	dir = await temporaryDir('cli-parse');
	await writeFile(join(dir, 'three.txt'), 'one\ntwo\nthree');
	await writeFile(join(dir, 'locked.pdf'), 'locked');
	await writeFile(join(dir, 'report.pdf'), reportPdf());
});

afterAll(() => removeDir(dir));

interface Run {
	readonly code: unknown;
	readonly stdout: string;
	readonly stderr: string;
}

describe('plinth parse', () => {
	const written = { stdout: '', stderr: '' };

	beforeEach(() => {
		Object.assign(written, { stdout: '', stderr: '' });
		for (const name of ['stdout', 'stderr'] as const) {
			vi.spyOn(process[name], 'write').mockImplementation((text) => {
				written[name] += text;
				return true;
			});
		}
	});

	afterEach(() => {
		vi.restoreAllMocks();
	});

	/** Runs the command in this process. */
	async function run(files: readonly string[], flags: Partial<ParseFlags> = {}): Promise<Run> {
		const before = process.exitCode;
		process.exitCode = undefined;
		try {
			await parse(
				files.map((file) => join(dir, file)),
				{ config, ocr: true, ...flags },
			);
			return { code: process.exitCode ?? 0, ...written };
		} finally {
			process.exitCode = before;
		}
	}

	test('prints the response of the endpoint', async () => {
		const { code, stdout, stderr } = await run(['three.txt']);
		expect([code, stderr]).toEqual([0, '']);
		const pages = ['one', 'two', 'three'].map((text, at) => ({
			page: at + 1,
			text: `${text} (auto)`,
		}));
		expect(JSON.parse(stdout)).toEqual({
			results: [
				{
					filename: 'three.txt',
					media_type: 'text/plain',
					page_count: 3,
					truncated: false,
					content: { pages },
				},
			],
		});
	});

	test('continues after a file that cannot be read, and exits 1', async () => {
		const { code, stdout, stderr } = await run(['nobody.pdf', 'locked.pdf', '.', 'three.txt']);
		expect(code).toBe(1);
		const { results } = JSON.parse(stdout) as {
			results: { content: object; error?: { code: string } }[];
		};
		expect(results.map(({ error }) => error?.code)).toEqual([
			'file_unreadable',
			'document_encrypted',
			'file_unreadable',
			undefined,
		]);
		expect(results[0]?.content).toEqual({});
		expect(stderr).toMatch(/nobody\.pdf: There is no such file/);
		expect(stderr).toMatch(/locked\.pdf: The document needs a password/);
		expect(stderr).toMatch(/Name files, not folders/);
	});

	test('reads the requested pages and characters, without OCR if requested', async () => {
		const { stdout } = await run(['three.txt'], { pages: '3,1', maxChars: '12', ocr: false });
		const { results } = JSON.parse(stdout) as { results: readonly object[] };
		expect(results).toMatchObject([
			{
				truncated: true,
				content: {
					pages: [
						{ page: 1, text: 'one (off)' },
						{ page: 3, text: 'thr' },
					],
				},
			},
		]);
	});

	test('prints text with a line before each page, and before each of several files', async () => {
		const one = await run(['three.txt'], { text: true, pages: '2-3' });
		expect(one.stdout).toBe('--- page 2 ---\ntwo (auto)\n--- page 3 ---\nthree (auto)\n');
		written.stdout = '';
		const two = await run(['three.txt', 'locked.pdf'], { text: true, pages: '1' });
		expect(two.stdout).toBe(`=== ${join(dir, 'three.txt')} ===\n--- page 1 ---\none (auto)\n`);
		expect(two.code).toBe(1);
	});

	test.each([
		['pages that end too early', { pages: '3-2' }, /^--pages: 3-2 ends before it begins\.$/m],
		['pages that are none', { pages: 'all' }, /^--pages: expected page numbers/m],
		['no characters', { maxChars: '0' }, /^--max-chars: expected a number from 1 to 20000000\.$/m],
		['characters that are no number', { maxChars: 'many' }, /^--max-chars: /m],
	])('exits 2 when it is called with %s', async (_, flags, message) => {
		const { code, stdout, stderr } = await run(['three.txt'], flags);
		expect([code, stdout]).toEqual([2, '']);
		expect(stderr).toMatch(message);
	});

	test('prints its progress only on a terminal, and never to its output', async () => {
		const isTTY = process.stderr.isTTY;
		process.stderr.isTTY = true;
		try {
			const { stdout, stderr } = await run(['three.txt']);
			expect(stderr).toMatch(/three\.txt .* 50 % reading[\s\S]*100 % completed/);
			expect(stdout).not.toContain('%');
		} finally {
			process.stderr.isTTY = isTTY;
		}
	});
});

describe('plinth parse as a command', () => {
	test('reads a document and creates no data directory', async () => {
		const { code, stdout, stderr } = await plinth(['parse', 'report.pdf'], { cwd: dir }).exit;
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toMatch(/early, and those who keep bees[^"]*In the south the season was dry/);
		expect(await readdir(dir)).not.toContain('.plinth');
	});

	test('exits 2 without a file', async () => {
		const { code, stderr } = await plinth(['parse'], { cwd: dir }).exit;
		expect(code).toBe(2);
		expect(stderr).toContain("missing required argument 'file'");
	});
});
