import type { FinishReason } from '../model.ts';

/** The `finish_reason` of the API. Clients of the older form know no tools. */
export function wireReason(reason: FinishReason, isLegacy: boolean): FinishReason | 'function_call' {
	return isLegacy && reason === 'tool_calls' ? 'function_call' : reason;
}
