import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { pathOf } from './programs.ts';

const run = promisify(execFile);
const maxBuffer = 256 * 1_048_576;
/** Tab-separated, no quotes, UTF-8, values as displayed, one file per sheet. */
const csv = 'csv:Text - txt - csv (StarCalc):9,,76,1,,0,false,true,true,false,false,-1';

/** The text that pandoc reads from a document. */
export async function textByPandoc(path: string): Promise<string> {
	const { stdout } = await run(pathOf('pandoc'), ['-t', 'plain', '--wrap=none', path], {
		maxBuffer,
	});
	return stdout;
}

/** Makes a document from Markdown with pandoc. The file name determines the format. */
export async function makeByPandoc(markdown: string, path: string, options: readonly string[] = []): Promise<void> {
	const work = run(pathOf('pandoc'), ['-f', 'markdown', '-o', path, ...options]);
	work.child.stdin?.end(markdown);
	await work;
}

/** Converts files into a folder with LibreOffice. */
export async function convertByOffice(paths: readonly string[], format: string, folder: string): Promise<void> {
	// A separate profile: otherwise a running LibreOffice would do the work.
	const profile = `-env:UserInstallation=${pathToFileURL(join(folder, '.profile'))}`;
	const to = ['--headless', '--convert-to', format, '--outdir', folder];
	await run(pathOf('soffice'), [profile, ...to, ...paths], { maxBuffer, timeout: 180_000 });
}

/** The texts that LibreOffice saves of text documents. */
export async function textsByOffice(paths: readonly string[], folder: string): Promise<string[]> {
	await convertByOffice(paths, 'txt:Text (encoded):UTF8', folder);
	return Promise.all(paths.map((path) => readFile(join(folder, `${basename(path, extname(path))}.txt`), 'utf8')));
}

/** The texts that LibreOffice shows on the pages of documents. */
export async function shownByOffice(paths: readonly string[], folder: string): Promise<string[]> {
	await convertByOffice(paths, 'pdf', folder);
	return Promise.all(
		paths.map(async (path) => {
			const pdf = join(folder, `${basename(path, extname(path))}.pdf`);
			const { stdout } = await run(pathOf('pdftotext'), ['-layout', pdf, '-'], { maxBuffer });
			return stdout;
		}),
	);
}

/** The cells that LibreOffice shows in workbooks, sheet by sheet. */
export async function cellsByOffice(paths: readonly string[], folder: string): Promise<string[]> {
	await convertByOffice(paths, csv, folder);
	const names = await readdir(folder);
	return Promise.all(
		paths.map(async (path) => {
			const start = `${basename(path, extname(path))}-`;
			const sheets = names.filter((name) => name.startsWith(start) && name.endsWith('.csv'));
			const texts = await Promise.all(sheets.map((name) => readFile(join(folder, name), 'utf8')));
			return texts.join('\n');
		}),
	);
}
