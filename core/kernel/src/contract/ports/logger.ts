/** Structured logging: fields, then a constant sentence. Never log prompts, texts, keys or file contents. */
export interface Logger {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
	/** A logger that adds `bindings` to every line. */
	child(bindings: Record<string, unknown>): Logger;
}
