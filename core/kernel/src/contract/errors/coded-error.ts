import { type ErrorSpec, errors } from './errors.ts';
import { redact } from './redact.ts';

/** Details that the throwing code adds to a coded error. */
export interface ErrorDetails {
	/** Replaces the table's message. The remedy stays, unless it is replaced too. */
	readonly message?: string;
	readonly remedy?: string;
	/** The path of the parameter that caused the error: `input_reference`, `messages[1].content`. */
	readonly param?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly cause?: unknown;
}

/** An error with a row in an error table. Test with `isPlinthError`: `instanceof` fails with two copies loaded. */
export class PlinthError extends Error {
	readonly $kind = 'plinth.error';
	/** `E_…`: the name of the row. */
	readonly code: string;
	readonly spec: ErrorSpec;
	readonly param: string | undefined;
	readonly headers: Readonly<Record<string, string>>;

	constructor(code: string, spec: ErrorSpec, details: ErrorDetails = {}) {
		const { message = spec.message, remedy = spec.remedy, cause } = details;
		super(remedy ? `${message} ${remedy}` : message, { cause });
		this.name = 'PlinthError';
		this.code = code;
		this.spec = spec;
		this.param = details.param;
		this.headers = { ...spec.headers, ...details.headers };
	}
}

/** Makes a coded error from the kernel's table. */
export function plinthError(code: keyof typeof errors, details?: ErrorDetails): PlinthError {
	return new PlinthError(code, errors[code], details);
}

/** Makes a coded error from a plugin's table. */
export function errorFrom<T extends Record<string, ErrorSpec>>(
	table: T,
	code: keyof T & string,
	details?: ErrorDetails,
): PlinthError {
	return new PlinthError(code, table[code] as ErrorSpec, details);
}

/** Whether a value is a coded error, made by any copy of this package. */
export function isPlinthError(error: unknown): error is PlinthError {
	return error instanceof Error && (error as { $kind?: unknown }).$kind === 'plinth.error';
}

/** 400 `invalid_value`: `param` has a value that is not allowed. */
export function invalidValue(param: string, message: string, cause?: unknown): PlinthError {
	return plinthError('E_VALUE_INVALID', { param, message, cause });
}

/** 400 `invalid_type`: `param` does not have the expected type. */
export function wrongType(param: string, message: string): PlinthError {
	return plinthError('E_VALUE_TYPE', { param, message });
}

/** 400 `unsupported_value`: `param` is well-formed, but this model or deployment cannot do it. */
export function unsupportedValue(param: string, message: string): PlinthError {
	return plinthError('E_VALUE_UNSUPPORTED', { param, message });
}

/** A model's failure with a message for the caller: 502 `model_error`, or the `error` of a failed job. */
export function modelError(message: string, cause?: unknown): PlinthError {
	return plinthError('E_MODEL_FAILED', { message, cause });
}

/** The error object in a response, with four keys. Errors without a code become 500; their message is only logged. */
export interface WireError {
	readonly message: string;
	readonly type: ErrorSpec['type'];
	readonly param: string | null;
	readonly code: string | null;
}

/** Converts any thrown value to a response. Known secrets are replaced: an upstream's message may quote them. */
export function toWireError(thrown: unknown): {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: { readonly error: WireError };
} {
	const coded = isPlinthError(thrown) ? thrown : plinthError('E_INTERNAL', { cause: thrown });
	const { spec, headers, message, param = null } = coded;
	const error = { message: redact(message), type: spec.type, param, code: spec.code };
	return { status: spec.status, headers, body: { error } };
}
