import { z } from 'zod';

const sentence = z.string().transform((text) => text.slice(0, 1_000));
const text = z.string().exactOptional();
const file = z.string().min(1).max(4_096);
const count = z.int().min(0);
const seconds = z.number().min(0);

/** The messages of a program, one JSON object per line. Unknown members are ignored. */
export const message = z.discriminatedUnion('type', [
	z.object({ type: z.literal('progress'), value: z.number().min(0).max(1) }),
	/** A partial image in a complete file. `image` is the index of the picture, from 0. */
	z.object({ type: z.literal('partial'), file, image: count.default(0) }),
	z.object({ type: z.literal('delta'), text: z.string() }),
	z.object({ type: z.literal('reasoning'), text: z.string() }),
	z.object({ type: z.literal('refusal'), text: z.string() }),
	z.object({ type: z.literal('tool_call'), index: count, id: text, name: text, arguments: text }),
	/** A message for the caller, such as about an option that the program ignores. */
	z.object({ type: z.literal('warning'), message: sentence }),
	/** The last line: the work is done, and its files are complete. */
	z.object({
		type: z.literal('result'),
		file: file.optional(),
		files: z.array(file).max(16).optional(),
		poster: file.optional(),
		revisedPrompt: z.string().optional(),
		filtered: count.optional(),
		finish: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
		usage: z.object({ promptTokens: count, completionTokens: count }).optional(),
		text: z.string().optional(),
		language: z.string().optional(),
		duration: seconds.optional(),
		segments: z.array(z.object({ start: seconds, end: seconds, text: z.string() })).optional(),
		words: z.array(z.object({ start: seconds, end: seconds, word: z.string() })).optional(),
	}),
	/**
	 * The request failed. The caller receives the message: as a 400 error that names `param` with one of the
	 * two codes, otherwise as a 502 error.
	 */
	z.object({
		type: z.literal('error'),
		message: sentence.pipe(z.string().min(1)),
		code: z.string().optional(),
		param: z.string().max(200).optional(),
	}),
]);

/** One line of a program. */
export type Message = z.output<typeof message>;
