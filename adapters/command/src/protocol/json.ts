import { invalidValue, modelError, unsupportedValue } from '@plinth/core';
import type { Run } from '../run/run.ts';
import { lines } from './lines.ts';
import { type Message, message } from './messages.ts';
import type { JsonProgram } from './options.ts';

/** Maximum number of warnings. */
const maxWarnings = 32;
const blanks = Buffer.from(' \t\r');

type OnMessage = (message: Message) => void | Promise<void>;
type JsonOptions = Pick<JsonProgram, 'argv' | 'maxLineBytes'>;

/** A request, written as one line to stdin. Files are named relative to the folder. */
type JsonRequest = Readonly<Record<string, unknown>> & { readonly kind: Kind };
type Kind = 'video' | 'image' | 'speech' | 'chat' | 'transcription';

/**
 * Runs a program of the JSON protocol and yields its messages. The result comes last, after the program has
 * exited successfully. Throws `E_MODEL_FAILED` when it breaks the protocol, fails, or returns no result,
 * and the error that it reports itself.
 */
export async function* runJson(run: Run, program: JsonOptions, request: JsonRequest): AsyncGenerator<Message> {
	const { argv, maxLineBytes } = program;
	const line = JSON.stringify({ version: 1, folder: run.folder.path, ...request });
	run.start({ args: argv.slice(1), input: `${line}\n` });
	const tooLong = () => run.failure(`printed a line of more than ${maxLineBytes} bytes`);
	let result: Message | undefined;
	let warnings = 0;
	for await (const text of lines(run.stdout(), maxLineBytes, tooLong)) {
		// Output after the result is ignored.
		if (result || text.every((byte) => blanks.includes(byte))) continue;
		const message = read(text, run);
		// One chunk may contain many lines, and the reader may abort after any of them.
		run.signal.throwIfAborted();
		if (message.type === 'error') throw toError(message);
		if (message.type === 'result') {
			result = message;
			run.stopAfterGrace();
		} else if (message.type !== 'warning' || ++warnings <= maxWarnings) yield message;
	}
	await run.waitForSuccess();
	if (!result) throw run.failure('ended without a result');
	yield result;
}

/** Runs a program of the JSON protocol to its result. `onMessage` receives all other messages but warnings. */
export async function requestJson(run: Run, program: JsonOptions, request: JsonRequest, onMessage?: OnMessage) {
	const warnings: string[] = [];
	for await (const message of runJson(run, program, request)) {
		if (message.type === 'result') return { ...message, warnings };
		if (message.type === 'warning') warnings.push(message.message);
		else await onMessage?.(message);
	}
	throw new Error('The messages of a program end with a result.');
}

function read(line: Buffer, run: Run): Message {
	try {
		return message.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)));
	} catch (cause) {
		throw run.failure('printed a line that is not a message of the JSON protocol', cause);
	}
}

function toError({ message, code, param }: Extract<Message, { type: 'error' }>): Error {
	if (code === 'invalid_value') return invalidValue(param ?? 'prompt', message);
	if (code === 'unsupported_value') return unsupportedValue(param ?? 'prompt', message);
	return modelError(message, code === undefined ? undefined : new Error(`Its code: ${code}`));
}
