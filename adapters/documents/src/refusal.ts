import type { mediaErrors } from '@plinth/toolkit';
import { Refusal as TaskRefusal } from '@plinth/toolkit/processes/child';

/** Reasons for refusing a document: entries of the table of errors. */
export type RefusalCode = Extract<keyof typeof mediaErrors, `E_DOCUMENT_${string}`>;

/** A refused document. The server converts it to a coded error, because a reading process does not load the kernel. */
export class Refusal extends TaskRefusal<RefusalCode> {}

/** Creates a refusal. */
export function documentError(
	code: RefusalCode,
	{ message, cause }: { readonly message?: string; readonly cause?: unknown } = {},
): Refusal {
	return new Refusal(code, message, { cause });
}
