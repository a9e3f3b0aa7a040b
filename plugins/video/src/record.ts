import type { Job } from '@plinth/core';
import { z } from 'zod';

const storedFile = z.object({
	key: z.string(),
	mediaType: z.string(),
	size: z.number(),
	sha256: z.string(),
});

const inputSchema = z.object({
	prompt: z.string(),
	/** The alias by which the client named the model; null for the id. Absent in records of earlier versions. */
	alias: z.string().nullable().default(null),
	seconds: z.number(),
	/** `WIDTHxHEIGHT`. */
	size: z.string(),
	/** The picture to start from. */
	reference: storedFile.nullable(),
	/** The video that this one is a variation of, and the prompt that made it. */
	remixOf: z.object({ id: z.string(), prompt: z.string() }).nullable(),
});

const resultSchema = z.object({
	video: storedFile,
	poster: storedFile.nullable(),
	/** Absent in records of earlier versions. */
	spritesheet: storedFile.nullable().default(null),
	warnings: z.array(z.string()),
});

/** Bytes in the blob store that belong to a video. */
export type StoredFile = z.infer<typeof storedFile>;

/** The `input` of a video job's record. */
export type VideoInput = z.infer<typeof inputSchema>;

/** The `result` of a completed video job's record. */
export type VideoOutput = z.infer<typeof resultSchema>;

/** Parses the request in a record. */
export function inputOf(job: Job): VideoInput {
	return inputSchema.parse(job.input);
}

/** Parses the result in a record; null until the job is completed. */
export function outputOf(job: Job): VideoOutput | null {
	return job.status === 'completed' ? resultSchema.parse(job.result) : null;
}
