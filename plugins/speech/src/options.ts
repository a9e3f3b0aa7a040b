import { z } from 'zod';
import { audioFormats } from './formats.ts';

/** The options of the speech plugin. */
export const speechOptions = z.strictObject({
	/** The default `response_format`. OpenAI's clients expect mp3, which needs an audio encoder. */
	defaultFormat: z.enum(audioFormats).default('mp3'),
});

/** The checked options. */
export type SpeechOptions = z.output<typeof speechOptions>;
