import { access, constants, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
	maxChars,
	type ParseDocumentOptions,
	type ParsedAttachment,
	pageRanges,
	parseDocument,
} from '@plinth/plugin-parse';
import type { DocumentReader } from '@plinth/toolkit';
import { Progress } from '../progress.ts';
import { quietLogger } from '../quiet.ts';
import { withReader } from '../reader.ts';

/** The flags of `plinth parse`. */
export interface ParseFlags {
	readonly config?: string;
	readonly pages?: string;
	readonly maxChars?: string;
	/** False with `--no-ocr`. */
	readonly ocr: boolean;
	readonly markdown?: boolean;
	readonly text?: boolean;
}

/**
 * Parses files one after the other and prints the results like the parse endpoint, as JSON or as text. Reports
 * unreadable files on standard error, and the exit code is then 1; for invalid flags it is 2.
 */
export async function parse(files: readonly string[], flags: ParseFlags): Promise<void> {
	const settings = settingsFrom(flags);
	if (!settings) {
		process.exitCode = 2;
		return;
	}
	const print = flags.text ? textPrinter(files.length > 1) : jsonPrinter();
	await withReader(flags, async (reader) => {
		for (const file of files) {
			const result = await parseFile(reader, file, settings);
			print.result(result, file);
			if (!result.error) continue;
			process.stderr.write(`${file}: ${result.error.message}\n`);
			process.exitCode = 1;
		}
	});
	print.end();
}

type ParseSettings = Pick<ParseDocumentOptions, 'options' | 'maxChars'>;

function settingsFrom({ pages, maxChars: limit, ocr, markdown }: ParseFlags): ParseSettings | undefined {
	const ranges = pages === undefined ? undefined : pageRanges.safeParse(pages);
	if (ranges?.error) return reportFlag('--pages', ranges.error.issues[0]?.message);
	const count = limit === undefined ? undefined : Number(limit);
	if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= maxChars)) {
		return reportFlag('--max-chars', `expected a number from 1 to ${maxChars}`);
	}
	return {
		options: {
			...(ranges ? { pages: ranges.data } : {}),
			ocr: ocr ? 'auto' : 'off',
			format: markdown ? 'markdown' : 'text',
		},
		maxChars: count,
	};
}

function reportFlag(flag: string, message = 'it is wrong'): undefined {
	process.stderr.write(`${flag}: ${message}.\n`);
}

async function parseFile(reader: DocumentReader, file: string, settings: ParseSettings): Promise<ParsedAttachment> {
	const filename = basename(file);
	const problem = await problemWith(file);
	if (problem) {
		return { filename, content: {}, error: { code: 'file_unreadable', message: problem } };
	}
	const bar = process.stderr.isTTY ? new Progress(filename, process.stderr) : undefined;
	const result = await parseDocument(
		reader,
		// Resolve the path here: links such as /dev/stdin have another target in the process that reads the file.
		{ path: await realpath(file) },
		{ filename, ...settings },
		{
			progress: (done, of) => bar?.update('reading', of > 0 ? Math.min(1, done / of) : 0),
			log: (err) => quietLogger.error({ err }, 'the reader failed'),
		},
	);
	bar?.update(result.error ? 'failed' : 'completed', 1);
	bar?.end();
	return result;
}

/** Why a path cannot be read as a file; undefined when it can. */
async function problemWith(path: string): Promise<string | undefined> {
	try {
		if (!(await stat(path)).isFile()) return 'This is not a file. Name files, not folders.';
		await access(path, constants.R_OK);
		return undefined;
	} catch (error) {
		const { code } = error as { code?: string };
		if (code === 'ENOENT' || code === 'ENOTDIR') return 'There is no such file. Check the path.';
		return `The file cannot be opened (${code}). Check its permissions.`;
	}
}

interface Printer {
	result(result: ParsedAttachment, file: string): void;
	end(): void;
}

/** One line for each file, so that results appear while other files are read. */
function jsonPrinter(): Printer {
	let separator = '{"results":[\n';
	return {
		result(result) {
			process.stdout.write(separator + JSON.stringify(result));
			separator = ',\n';
		},
		end: () => process.stdout.write('\n]}\n'),
	};
}

/** The texts, with a line before each page, and before each file when there are several. */
function textPrinter(hasFileNames: boolean): Printer {
	return {
		result({ content, error }, file) {
			if (error) return;
			if (hasFileNames) process.stdout.write(`=== ${file} ===\n`);
			for (const { page, text } of content.pages ?? []) {
				process.stdout.write(`--- page ${page} ---\n${text}\n`);
			}
			if (content.text !== undefined) process.stdout.write(`${content.text}\n`);
		},
		end() {},
	};
}
