import type { Program } from '../run/program.ts';
import type { Run } from '../run/run.ts';
import { filled, placeholdersIn, type Values } from './argv.ts';
import type { PlainProgram, Progress } from './options.ts';

const inputFile = 'input.txt';

/** How it is started and read. */
interface Plain extends Pick<PlainProgram, 'argv'> {
	readonly progress?: Progress | undefined;
}

/** What a plain program is asked. */
export interface PlainRequest {
	/** The words of the client: on stdin, or in a file. Never an argument. */
	readonly text: string;
	readonly values: Values;
	/** The file for the result, whose ending may tell the program what to make. */
	readonly output: string;
	/** Gets the fraction done. */
	readonly onProgress?: (fraction: number) => void;
}

/** Starts a plain program. */
export async function start(
	run: Run,
	{ argv, progress }: Plain,
	{ text, values, output, onProgress }: PlainRequest,
): Promise<Program> {
	const readsFile = placeholdersIn(argv).has('input');
	if (readsFile) await run.folder.put(inputFile, text);
	const all = { ...values, input: inputFile, output };
	const [, ...args] = filled(argv, all);
	const onLine =
		progress && onProgress
			? reader(progress.pattern, Number(filled([progress.total], values)[0]), onProgress)
			: undefined;
	return run.start({ args, input: readsFile ? '' : text, onLine });
}

/** Runs a plain program to its end, and returns what it made. Rejects with `E_MODEL_FAILED` when that is nothing. */
export async function finish(run: Run, program: Plain, request: PlainRequest): Promise<Buffer> {
	const running = await start(run, program, request);
	const writesFile = placeholdersIn(program.argv).has('output');
	const chunks: Buffer[] = [];
	for await (const chunk of running.stdout()) if (!writesFile) chunks.push(chunk);
	await running.succeeded();
	if (writesFile) return run.read(request.output);
	if (chunks.length === 0) throw running.failure('ended without a result');
	return Buffer.concat(chunks);
}

/** Reads progress out of lines. */
function reader(pattern: RegExp, total: number, tell: (fraction: number) => void) {
	return (line: string) => {
		const [, done, of] = pattern.exec(line) ?? [];
		const fraction = Number(done) / (of === undefined ? total : Number(of));
		if (fraction >= 0) tell(Math.min(1, fraction));
	};
}
