import type { FinishReason } from '../model.ts';

/** The `finish_reason` of the API. Clients that send `functions` expect `function_call`. */
export function wireReason(reason: FinishReason, isLegacy: boolean): FinishReason | 'function_call' {
	return isLegacy && reason === 'tool_calls' ? 'function_call' : reason;
}
