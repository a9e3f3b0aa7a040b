import { Refusal as TaskRefusal } from '@plinth/toolkit/processes/child';

const codes = [
	'E_DOCUMENT_UNSUPPORTED',
	'E_DOCUMENT_UNREADABLE',
	'E_DOCUMENT_ENCRYPTED',
	'E_DOCUMENT_TOO_LARGE',
	'E_DOCUMENT_TIMEOUT',
] as const;

/** Why a document is refused: rows of core's error table. */
export type RefusalCode = (typeof codes)[number];

/** Tells a code that a document can earn. */
export function isRefusalCode(code: string): code is RefusalCode {
	return (codes as readonly string[]).includes(code);
}

/** A document that is refused. The reading process does not load the kernel, whose coded errors these become outside of it. */
export class Refusal extends TaskRefusal<RefusalCode> {}

/** Makes a refusal. */
export function documentError(
	code: RefusalCode,
	details: { readonly message?: string; readonly cause?: unknown } = {},
): Refusal {
	return new Refusal(code, details.message, { cause: details.cause });
}
