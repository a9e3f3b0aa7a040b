/**
 * A task was refused because of its input. `code` names an entry of an error table, and `sentence` replaces
 * its message. Not a coded error, because the child process does not load the kernel.
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

/** A process ended before it responded, or was killed after an invalid response. */
export class Crash extends Error {}

/** A process was killed because its task exceeded its timeout. */
export class TaskTimeout extends Error {}

/** A process was killed, or ended itself, because its task exceeded the memory limit. */
export class OutOfMemory extends Error {}
