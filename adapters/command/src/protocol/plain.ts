import { orAbort } from '@plinth/core';
import type { Run } from '../run/run.ts';
import { fillTemplate, placeholdersIn, type Values } from './argv.ts';
import type { PlainProgram, Progress } from './options.ts';

const inputFile = 'input.txt';

/** How a plain program is started and read. */
type PlainOptions = Pick<PlainProgram, 'argv'> & { readonly progress?: Progress | undefined };

/** A request to a plain program. */
interface PlainRequest {
	/** The client's text: passed on stdin or in a file, never as an argument. */
	readonly text: string;
	readonly values: Values;
	/** The file for the result. Programs may derive the format from its extension. */
	readonly output: string;
	/** Receives the fraction done. */
	readonly onProgress?: (fraction: number) => void;
}

/** Runs a plain program. Rejects with `E_MODEL_FAILED` when there is no result. */
export async function runPlain(run: Run, program: PlainOptions, request: PlainRequest): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of streamPlain(run, program, request)) chunks.push(chunk);
	return Buffer.concat(chunks);
}

/** Runs a plain program and yields its result: what it prints, or the file that it writes. */
export async function* streamPlain(run: Run, program: PlainOptions, request: PlainRequest): AsyncGenerator<Buffer> {
	const { argv, progress } = program;
	const { text, values, output, onProgress } = request;
	const names = placeholdersIn(argv);
	const [readsFile, writesFile] = [names.has('input'), names.has('output')];
	if (readsFile) await orAbort(run.signal, run.folder.write(inputFile, text));
	const [, ...args] = fillTemplate(argv, { ...values, input: inputFile, output });
	const onLine = progress && onProgress && progressParser(progress, values, onProgress);
	run.start({ args, input: readsFile ? '' : text, onLine });
	let isSilent = true;
	for await (const chunk of run.stdout()) {
		isSilent = false;
		if (!writesFile) yield chunk;
	}
	await run.waitForSuccess();
	if (writesFile) yield await run.read(output);
	else if (isSilent) throw run.failure('ended without a result');
}

/** Parses progress from lines. */
function progressParser({ pattern, total }: Progress, values: Values, onProgress: (fraction: number) => void) {
	const [defaultTotal] = fillTemplate([total], values);
	return (line: string) => {
		const [, done, of = defaultTotal] = pattern.exec(line) ?? [];
		const fraction = Number(done) / Number(of);
		if (fraction >= 0) onProgress(Math.min(1, fraction));
	};
}
