import type { Program } from '../run/program.ts';
import type { Run } from '../run/run.ts';
import { fillTemplate, placeholdersIn, type Values } from './argv.ts';
import type { PlainProgram, Progress } from './options.ts';

const inputFile = 'input.txt';

/** How a plain program is started and read. */
interface PlainOptions extends Pick<PlainProgram, 'argv'> {
	readonly progress?: Progress | undefined;
}

/** A request to a plain program. */
export interface PlainRequest {
	/** The client's text: passed on stdin or in a file, never as an argument. */
	readonly text: string;
	readonly values: Values;
	/** The file for the result. Programs may derive the format from its extension. */
	readonly output: string;
	/** Receives the fraction done. */
	readonly onProgress?: (fraction: number) => void;
}

/** Starts a plain program. */
export async function startPlain(
	run: Run,
	{ argv, progress }: PlainOptions,
	{ text, values, output, onProgress }: PlainRequest,
): Promise<Program> {
	const readsFile = placeholdersIn(argv).has('input');
	if (readsFile) await run.folder.write(inputFile, text);
	const allValues = { ...values, input: inputFile, output };
	const [, ...args] = fillTemplate(argv, allValues);
	const onLine =
		progress && onProgress
			? progressParser(progress.pattern, Number(fillTemplate([progress.total], values)[0]), onProgress)
			: undefined;
	return run.start({ args, input: readsFile ? '' : text, onLine });
}

/** Runs a plain program and returns its result. Rejects with `E_MODEL_FAILED` when there is none. */
export async function runPlain(run: Run, program: PlainOptions, request: PlainRequest): Promise<Buffer> {
	const started = await startPlain(run, program, request);
	const writesFile = placeholdersIn(program.argv).has('output');
	const chunks: Buffer[] = [];
	for await (const chunk of started.stdout()) if (!writesFile) chunks.push(chunk);
	await started.waitForSuccess();
	if (writesFile) return run.read(request.output);
	if (chunks.length === 0) throw started.failure('ended without a result');
	return Buffer.concat(chunks);
}

/** Parses progress from lines. */
function progressParser(pattern: RegExp, total: number, onProgress: (fraction: number) => void) {
	return (line: string) => {
		const [, done, of] = pattern.exec(line) ?? [];
		const fraction = Number(done) / (of === undefined ? total : Number(of));
		if (fraction >= 0) onProgress(Math.min(1, fraction));
	};
}
