import { type BoundModel, unsupportedValue } from '@plinth/core';
import type { TranscriptionModel, TranscriptionRequest } from '../model.ts';
import type { AnyBody } from './fields.ts';

/** A request for one model, without its audio. The warnings name the parts that the response will lack. */
export type AudioTask = Omit<TranscriptionRequest, 'audio'> & { readonly warnings: readonly string[] };

/** Throws 400 `unsupported_value` for values that no model of the server supports. */
export function checkFormat({ response_format: format, stream }: AnyBody): void {
	if (format === 'diarized_json') {
		throw unsupportedValue('response_format', 'This server does not distinguish speakers. Ask for verbose_json.');
	}
	if (stream && format !== 'json' && format !== 'text') {
		throw unsupportedValue('stream', `${format} cannot be streamed. Ask for json, or omit stream.`);
	}
}

/** Adapts a request to the abilities of a model. Throws 400 `unsupported_value` for values that it cannot honour. */
export function fitTask(
	body: AnyBody,
	task: TranscriptionRequest['task'],
	{ id, model: { abilities = {} } }: BoundModel<TranscriptionModel>,
): AudioTask {
	const { response_format: format, prompt, temperature, timestamp_granularities: granularities } = body;
	const { languages, segments = false, words = false } = abilities;
	const language = body.language?.toLowerCase().replace(/[-_].*/, '') || undefined;
	const needsTimes = format === 'srt' || format === 'vtt';
	const requested = (format === 'verbose_json' && granularities) || [];
	if (task === 'translate' && !abilities.translate) {
		throw unsupportedValue('model', `The model ${id} does not translate. Use /v1/audio/transcriptions.`);
	}
	if (language && languages?.includes(language) === false) {
		throw unsupportedValue('language', `The model ${id} understands ${languages.join(', ')}, not "${language}".`);
	}
	if (needsTimes && !segments) {
		throw unsupportedValue('response_format', `The model ${id} returns no times, which ${format} needs. Ask for text.`);
	}
	if ((requested.includes('segment') && !segments) || (requested.includes('word') && !words)) {
		const supported = [...(segments ? ['segment'] : []), ...(words ? ['word'] : [])].join(', ') || 'none';
		throw unsupportedValue('timestamp_granularities', `The model ${id} returns only these times: ${supported}.`);
	}
	const isDefault = format === 'verbose_json' && requested.length === 0;
	const timestamps = segments && (needsTimes || isDefault) ? (['segment'] as const) : [...new Set(requested)];
	return {
		task,
		language,
		prompt: prompt || undefined,
		temperature,
		timestamps,
		warnings: warningsOf(body, isDefault && !segments),
	};
}

function warningsOf(body: AnyBody, lacksSegments: boolean): readonly string[] {
	const { include = [], chunking_strategy: chunking = 'auto', timestamp_granularities: times } = body;
	const warnings = {
		'include: the server does not report log probabilities.': include.length > 0,
		'chunking_strategy: the model uses its own strategy.': chunking !== 'auto',
		'timestamp_granularities: only verbose_json has times.': times && body.response_format !== 'verbose_json',
		'timestamp_granularities: the model returns no times of segments.': lacksSegments,
	};
	return Object.entries(warnings).flatMap(([warning, applies]) => (applies ? [warning] : []));
}
