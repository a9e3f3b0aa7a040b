import { deflateSync } from 'node:zlib';
import { Reply } from '@plinth/core';
import type { Transcription, TranscriptionSegment } from '../model.ts';
import type { AudioTask } from '../request/abilities.ts';
import type { AnyBody } from '../request/fields.ts';
import type { TranscriptionAnswer, textTypes } from './schemas.ts';
import { srt, vtt } from './subtitles.ts';

/** The response in the requested format. */
export function replyWith(
	result: Transcription,
	format: AnyBody['response_format'],
	task: AudioTask,
): Reply | TranscriptionAnswer {
	const { text, language = task.language, seconds, segments = [], words = [], warnings } = result;
	if (format === 'text') return textReply(`${text}\n`, 'text/plain');
	if (format === 'srt') return textReply(srt(segments), 'text/plain');
	if (format === 'vtt') return textReply(vtt(segments), 'text/vtt');
	const common = { text, usage: usageOf(result), ...(warnings ? { warnings: [...warnings] } : {}) };
	if (format !== 'verbose_json') return common;
	const isTimed = (kind: 'segment' | 'word') => task.timestamps.includes(kind);
	return {
		task: task.task,
		language: task.task === 'translate' ? 'english' : languageName(language),
		duration: seconds ?? segments.at(-1)?.end ?? words.at(-1)?.end ?? 0,
		...common,
		segments: isTimed('segment') ? segments.map((each, id) => wireSegment(each, id, task)) : undefined,
		words: isTimed('word') ? words.map(({ word, start, end }) => ({ word, start, end })) : undefined,
	};
}

/** Tokens if the model counts them, else seconds; undefined when neither is known. */
export function usageOf({ usage, seconds }: Transcription): TranscriptionAnswer['usage'] {
	if (!usage) return seconds === undefined ? undefined : { type: 'duration', seconds: Math.ceil(seconds) };
	const { inputTokens: input_tokens, outputTokens: output_tokens } = usage;
	return { type: 'tokens', input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
}

function textReply(text: string, mediaType: (typeof textTypes)[number]): Reply {
	return Reply.binary(Buffer.from(text), { mediaType: `${mediaType}; charset=utf-8` });
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** `english` for `en`, as OpenAI's clients expect it. */
function languageName(code = ''): string {
	return (/^[a-z]{2,3}$/.test(code) && names.of(code)?.toLowerCase()) || 'unknown';
}

function wireSegment(segment: TranscriptionSegment, id: number, { temperature = 0 }: AudioTask) {
	const { start, end, text, averageLogprob: avg_logprob = 0, noSpeechProbability: no_speech_prob = 0 } = segment;
	const compression_ratio = Buffer.byteLength(text) / deflateSync(text).byteLength;
	const position = { id, seek: 0, start, end, text, tokens: [] };
	return { ...position, temperature, avg_logprob, compression_ratio, no_speech_prob };
}
