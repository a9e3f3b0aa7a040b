import { z } from 'zod';

/** The media types of text responses. */
export const textTypes = ['text/plain', 'text/vtt'] as const;

const seconds = z.number();

const usage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('duration'), seconds }),
	z.object({ type: z.literal('tokens'), input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
]);

const segment = z
	.object({
		...{ id: z.int(), seek: z.int(), start: seconds, end: seconds, text: z.string(), tokens: z.array(z.int()) },
		...{ temperature: z.number(), compression_ratio: z.number(), avg_logprob: z.number(), no_speech_prob: z.number() },
	})
	.meta({ id: 'TranscriptionSegment', description: 'A probability that the model does not return is 0.' });

/** The response of both routes in `json` and `verbose_json`. */
export const transcriptionAnswer = z
	.object({
		text: z.string(),
		task: z.enum(['transcribe', 'translate']).optional(),
		language: z.string().optional().meta({ description: 'The English name of the language, in lower case.' }),
		duration: seconds.optional(),
		segments: z.array(segment).optional(),
		words: z.array(z.object({ word: z.string(), start: seconds, end: seconds })).optional(),
		usage: usage.optional(),
		warnings: z.array(z.string()).optional(),
	})
	.meta({ id: 'Transcription', description: 'Only `verbose_json` has more than text, usage and warnings.' });

/** A JSON response. */
export type TranscriptionAnswer = z.output<typeof transcriptionAnswer>;
