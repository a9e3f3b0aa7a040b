import { z } from 'zod';

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
	.meta({ id: 'TranscriptionSegment', description: 'Where a model does not tell a probability, it is 0.' });

/** The answer of both routes in `json` and `verbose_json`. */
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
	.meta({ id: 'Transcription', description: 'What was said. All but text, usage and warnings is of `verbose_json`.' });

/** An answer as JSON. */
export type TranscriptionAnswer = z.output<typeof transcriptionAnswer>;
