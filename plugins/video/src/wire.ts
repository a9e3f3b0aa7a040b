import type { Job } from '@plinth/core';
import { listPageSchema, videoSizes as sizes } from '@plinth/toolkit';
import { z } from 'zod';
import { idForm } from './fields.ts';
import { inputOf, outputOf } from './record.ts';

/** Unit of `progress`: 0 to 1 as in the interface, or 0 to 100 as in OpenAI's API. */
export type ProgressScale = 'fraction' | 'percent';

const unixSeconds = z.int().min(0).meta({ description: 'Unix seconds.' });
const videoId = z.string().meta({ ...idForm });

/** The video object. Every key except `url` and `warnings` is always present. */
export const videoSchema = z
	.object({
		id: videoId,
		object: z.literal('video'),
		model: z.string(),
		status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
		progress: z.number().min(0).max(100).meta({
			description: 'Fraction done, exactly 1 when completed; in percent if the server is configured so.',
		}),
		progress_percent: z.int().min(0).max(100),
		created_at: unixSeconds,
		completed_at: unixSeconds.nullable(),
		expires_at: unixSeconds
			.nullable()
			.meta({ description: 'Unix seconds at which the content expires; null until completed.' }),
		prompt: z.string().nullable(),
		size: z.string().meta({ description: 'WIDTHxHEIGHT in pixels.', examples: [...sizes] }),
		seconds: z.string().meta({ description: 'A number as a string.', examples: ['4'] }),
		remixed_from_video_id: videoId.nullable(),
		error: z
			.object({ code: z.string(), message: z.string(), param: z.string().optional() })
			.nullable()
			.meta({ description: 'Why the job failed.' }),
		url: z
			.string()
			.optional()
			.meta({
				description:
					'The address of the completed video, for players: it needs no key and works for a limited time. ' +
					'Absent before, and where the server keeps no records.',
			}),
		warnings: z.array(z.string()).optional().meta({
			description: 'Options that the model ignored; absent when there are none.',
		}),
	})
	.meta({ id: 'Video' });

/** The header of responses about one video, for OpenAPI. */
export const pollHeader = {
	'openai-poll-after-ms': 'While the job is not finished: how long to wait before the next poll, in milliseconds.',
} as const;

/** One page of videos. `first_id` and `last_id` are null on an empty page. */
export const videoListSchema = listPageSchema(videoSchema, videoId, 'VideoList');

/** The response to a deletion. */
export const videoDeletedSchema = z
	.object({ id: z.string(), object: z.literal('video.deleted'), deleted: z.literal(true) })
	.meta({ id: 'VideoDeleted' });

/** A video as the API returns it. */
export type Video = z.infer<typeof videoSchema>;

/** Converts a record to the API's video object. */
export function toVideo(job: Job, scale: ProgressScale): Video {
	const input = inputOf(job);
	const warnings = outputOf(job)?.warnings ?? [];
	const fraction = fractionDone(job);
	// Rounded to ten-thousandths first: 0.29 * 100 is 28.999…
	const percent = Math.floor(Math.round(fraction * 10_000) / 100);
	return {
		id: job.id,
		object: 'video',
		model: input.alias ?? job.model,
		status: job.status,
		progress: scale === 'percent' ? percent : fraction,
		progress_percent: percent,
		created_at: toSeconds(job.createdAt),
		completed_at: job.completedAt === null ? null : toSeconds(job.completedAt),
		expires_at: job.expiresAt === null ? null : toSeconds(job.expiresAt),
		prompt: input.prompt,
		size: input.size,
		seconds: String(input.seconds),
		remixed_from_video_id: input.remixOf?.id ?? null,
		error: job.error && { ...job.error },
		...(warnings.length > 0 ? { warnings } : {}),
	};
}

/** The fraction done. Below 1 until the job is completed, so that rounding never shows a completion too early. */
function fractionDone(job: Job): number {
	if (job.status === 'completed') return 1;
	return Math.min(Math.round(job.progress * 10_000) / 10_000, 0.9999);
}

function toSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}
