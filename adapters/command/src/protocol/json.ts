import { invalidValue, modelError, unsupportedValue } from '@plinth/core';
import type { Program } from '../run/program.ts';
import type { Run } from '../run/run.ts';
import { lines } from './lines.ts';
import { type Message, message } from './messages.ts';
import type { JsonProgram } from './options.ts';

/** Maximum number of warnings. */
const maxWarnings = 32;

/** A request, written as one line to stdin. Files are named relative to the folder. */
export interface JsonRequest extends Readonly<Record<string, unknown>> {
	readonly kind: 'video' | 'image' | 'speech' | 'chat';
}

/**
 * Runs a program of the JSON protocol and yields its messages. The result comes last, after the program has
 * exited successfully. Throws `E_MODEL_FAILED` when it breaks the protocol, fails, or returns no result,
 * and the error that it reports itself.
 */
export async function* runJson(
	run: Run,
	{ argv, maxLineBytes }: Pick<JsonProgram, 'argv' | 'maxLineBytes'>,
	{ kind, ...request }: JsonRequest,
): AsyncGenerator<Message> {
	const line = { version: 1, kind, folder: run.folder.path, ...request };
	const [, ...args] = argv;
	const program = run.start({ args, input: `${JSON.stringify(line)}\n` });
	const tooLong = () => program.failure(`printed a line of more than ${maxLineBytes} bytes`);
	let result: Message | undefined;
	let warnings = 0;
	for await (const text of lines(program.stdout(), maxLineBytes, tooLong)) {
		// Output after the result is ignored.
		if (result || isBlank(text)) continue;
		const message = read(text, program);
		if (message.type === 'error') throw toError(message);
		if (message.type === 'warning' && ++warnings > maxWarnings) continue;
		if (message.type === 'result') {
			result = message;
			program.stopAfterGrace();
			continue;
		}
		// Many lines arrive at once, and the reader may abort at any of them.
		run.signal.throwIfAborted();
		yield message;
	}
	await program.waitForSuccess();
	if (!result) throw program.failure('ended without a result');
	yield result;
}

function isBlank(line: Buffer): boolean {
	return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function read(line: Buffer, program: Program): Message {
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
		return message.parse(JSON.parse(text));
	} catch (cause) {
		throw program.failure('printed a line that is not a message of the JSON protocol', cause);
	}
}

function toError({ message, code, param }: Extract<Message, { type: 'error' }>): Error {
	if (code === 'invalid_value') return invalidValue(param ?? 'prompt', message);
	if (code === 'unsupported_value') return unsupportedValue(param ?? 'prompt', message);
	return modelError(message, code === undefined ? undefined : new Error(`Its code: ${code}`));
}
