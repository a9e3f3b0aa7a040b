import { z } from 'zod';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

/** The options of the transcription plugin. */
export const transcriptionOptions = z.strictObject({
	/** Maximum bytes of one file; more get 413. A stored file has at most 52,428,800 bytes. */
	maxFileBytes: number().int().min(1).max(2_147_483_647).default(26_214_400),
	/** Maximum seconds of audio that are decoded for a model; a longer file gets 400. */
	maxSeconds: number().positive().max(86_400).default(14_400),
	/** The model that transcribes for chat models without audio input. Default: the first transcription model. */
	readerModel: z.string().min(1).optional(),
});

/** The checked options. */
export type TranscriptionOptions = z.output<typeof transcriptionOptions>;
