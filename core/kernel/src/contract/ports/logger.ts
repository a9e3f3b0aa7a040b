/**
 * Structured logging. The first argument holds fields, the second a short constant sentence.
 *
 * Never pass prompts, document text, keys or file contents: log sizes and ids.
 */
export interface Logger {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
	/** A logger that adds `bindings` to every line. */
	child(bindings: Record<string, unknown>): Logger;
}
