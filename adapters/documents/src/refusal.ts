import type { mediaErrors } from '@plinth/toolkit';
import { Refusal as TaskRefusal } from '@plinth/toolkit/processes/child';

/** Reasons for refusing a document: entries of the table of errors. */
export type RefusalCode = Extract<keyof typeof mediaErrors, `E_DOCUMENT_${string}`>;

/** A refused document. Outside of the reading process, which does not load the kernel, it becomes a coded error. */
export class Refusal extends TaskRefusal<RefusalCode> {}

/** Creates a refusal. */
export function documentError(
	code: RefusalCode,
	{ message, cause }: { readonly message?: string; readonly cause?: unknown } = {},
): Refusal {
	return new Refusal(code, message, { cause });
}
