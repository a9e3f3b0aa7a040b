import { type BoundModel, unsupportedValue } from '@plinth/core';
import type { TranscriptionModel, TranscriptionRequest } from '../model.ts';
import type { AnyBody } from './fields.ts';

/** A request for one model, without its audio, and what the answer will lack. */
export type AudioTask = Omit<TranscriptionRequest, 'audio'> & { readonly warnings: readonly string[] };

/** Throws 400 `unsupported_value` for what no model of the server does. */
export function checkFormat({ response_format: format, stream }: AnyBody): void {
	if (format === 'diarized_json') {
		throw unsupportedValue('response_format', 'This server does not tell speakers apart. Ask for verbose_json.');
	}
	if (stream && format !== 'json' && format !== 'text') {
		throw unsupportedValue('stream', `${format} is answered when it is complete. Ask for json, or leave stream out.`);
	}
}

/** Fits a request to the abilities of a model. Throws 400 `unsupported_value` for what it cannot do. */
export function fitTask(
	body: AnyBody,
	task: TranscriptionRequest['task'],
	{ id, model: { abilities = {} } }: BoundModel<TranscriptionModel>,
): AudioTask {
	const { response_format: format, prompt, temperature, timestamp_granularities: granularities } = body;
	const { languages, segments = false, words = false } = abilities;
	const language = body.language?.toLowerCase().replace(/[-_].*/, '') || undefined;
	const needsTimes = format === 'srt' || format === 'vtt';
	const asked = (format === 'verbose_json' && granularities) || [];
	if (task === 'translate' && !abilities.translate) {
		throw unsupportedValue('model', `The model ${id} does not translate. Use /v1/audio/transcriptions.`);
	}
	if (language && languages?.includes(language) === false) {
		throw unsupportedValue('language', `The model ${id} understands ${languages.join(', ')}, not "${language}".`);
	}
	if (needsTimes && !segments) {
		throw unsupportedValue('response_format', `The model ${id} tells no times, which ${format} needs. Ask for text.`);
	}
	if ((asked.includes('segment') && !segments) || (asked.includes('word') && !words)) {
		const known = [...(segments ? ['segment'] : []), ...(words ? ['word'] : [])].join(', ') || 'none';
		throw unsupportedValue('timestamp_granularities', `The model ${id} does not tell these times, but: ${known}.`);
	}
	const isDefault = format === 'verbose_json' && asked.length === 0;
	const timestamps = segments && (needsTimes || isDefault) ? (['segment'] as const) : [...new Set(asked)];
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
		'chunking_strategy: the model cuts the audio as it does by itself.': chunking !== 'auto',
		'timestamp_granularities: only verbose_json has times.': times && body.response_format !== 'verbose_json',
		'timestamp_granularities: the model tells no times of segments.': lacksSegments,
	};
	return Object.entries(warnings).flatMap(([warning, applies]) => (applies ? [warning] : []));
}
