import { z } from 'zod';

const sentence = z.string().transform((text) => text.slice(0, 1_000));
const file = z.string().min(1).max(4_096);
const count = z.int().min(0);

/** What a program may print, one JSON object a line. Members that are not known here are ignored. */
export const message = z.discriminatedUnion('type', [
	/** The fraction done, 0 to 1. */
	z.object({ type: z.literal('progress'), value: z.number().min(0).max(1) }),
	/** An unfinished state of a picture, which is complete in its file. `image` counts the pictures of the request from 0. */
	z.object({ type: z.literal('partial'), file, image: count.default(0) }),
	/** A piece of an answer. */
	z.object({ type: z.literal('delta'), text: z.string() }),
	z.object({ type: z.literal('reasoning'), text: z.string() }),
	z.object({ type: z.literal('refusal'), text: z.string() }),
	z.object({
		type: z.literal('tool_call'),
		index: count,
		id: z.string().exactOptional(),
		name: z.string().exactOptional(),
		arguments: z.string().exactOptional(),
	}),
	/** What the program could not honour, for the caller. */
	z.object({ type: z.literal('warning'), message: sentence }),
	/** The last line: the work is done, and its files are complete. */
	z.object({
		type: z.literal('result'),
		file: file.optional(),
		files: z.array(file).max(16).optional(),
		/** A still picture of a video. */
		poster: file.optional(),
		/** The prompt as the program understood it. */
		revisedPrompt: z.string().optional(),
		/** How many pictures it has made and withheld. */
		filtered: count.optional(),
		/** Why an answer ended. */
		finish: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
		usage: z.object({ promptTokens: count, completionTokens: count }).optional(),
	}),
	/** The work cannot be done. The caller reads the message; with one of the two codes it is a 400 that names `param`, otherwise a 502. */
	z.object({
		type: z.literal('error'),
		message: sentence.pipe(z.string().min(1)),
		code: z.string().optional(),
		param: z.string().max(200).optional(),
	}),
]);

/** One line of a program. */
export type Message = z.output<typeof message>;

/** What a program made. */
export type ResultMessage = Extract<Message, { type: 'result' }>;
