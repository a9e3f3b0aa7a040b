import { unsupportedValue } from '@plinth/core';
import type { ChatAbilities, ChatRequest } from './model.ts';

/** Throws 400 `unsupported_value` for tools, JSON and lengths that the abilities of a model deny. */
export function checkAbilities(
	{ tools: callsTools = true, json = 'schema', contextTokens = Infinity }: ChatAbilities,
	{ tools, format, maxTokens = 0 }: Pick<ChatRequest, 'tools' | 'format' | 'maxTokens'>,
	maxTokensName = 'max_tokens',
): void {
	if (maxTokens > contextTokens) {
		throw unsupportedValue(maxTokensName, `The model has a context of ${contextTokens} tokens, not ${maxTokens}.`);
	}
	if (tools.length > 0 && !callsTools) {
		throw unsupportedValue('tools', 'The model calls no tools. Leave them out, or name another model.');
	}
	const isUnsupported = format.type === 'schema' ? json !== 'schema' : format.type === 'json' && json === 'none';
	if (isUnsupported) {
		throw unsupportedValue(
			'response_format.type',
			json === 'none'
				? 'The model answers in plain text only. Leave response_format out, or name another model.'
				: 'The model supports no schema. Ask for json_object, or name another model.',
		);
	}
}
