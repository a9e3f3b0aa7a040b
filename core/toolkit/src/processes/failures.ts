/**
 * A task is refused for what it was given. `code` names a row of an error table, and `sentence` replaces its message. Not a coded error
 * yet: the process that refuses has no kernel to make one with.
 */
export class Refusal<C extends string = string> extends Error {
	readonly code: C;
	readonly sentence: string | undefined;

	constructor(code: C, sentence?: string, options?: ErrorOptions) {
		super(sentence ?? code, options);
		this.name = 'Refusal';
		this.code = code;
		this.sentence = sentence;
	}
}

/** A process ended before it had answered, or was killed because what it wrote is no answer. */
export class Crash extends Error {}

/** A process was killed because its task took too long. */
export class TaskTimeout extends Error {}

/** A process was killed, or ended itself, because its task took too much memory. */
export class OutOfMemory extends Error {}
