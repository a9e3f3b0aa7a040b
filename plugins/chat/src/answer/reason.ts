import type { FinishReason } from '../model.ts';

/** Why an answer ended, in the words of the wire. A client of the older form knows no tools. */
export function wireReason(
	reason: FinishReason,
	isLegacy: boolean,
): FinishReason | 'function_call' {
	return isLegacy && reason === 'tool_calls' ? 'function_call' : reason;
}
