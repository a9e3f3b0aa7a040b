import { codePoints } from '@plinth/core';
import { pageFields, videoSizes as sizes, videoSeconds } from '@plinth/toolkit';
import { z } from 'zod';

const lengths = videoSeconds.map(String);

const prompt = codePoints({ min: 1, max: 32_000 })
	.regex(/\S/, 'more than blanks is expected')
	.meta({ description: 'What the video shows.' });

const seconds = z
	.literal([...lengths, ...videoSeconds], {
		error: `one of ${lengths.join(', ')} is expected`,
	})
	.transform(Number)
	.optional()
	.meta({
		description: 'Length in seconds, also as a number. If the model lacks the default, its first length is used.',
		override: { type: 'string', enum: lengths, default: '4' },
	});

const size = z
	.enum(sizes)
	.optional()
	.meta({
		description: 'Frame size in pixels: WIDTHxHEIGHT. If the model lacks the default, its first size is used.',
		override: { type: 'string', enum: [...sizes], default: '720x1280' },
	});

const pictureUrl = {
	type: 'string',
	pattern: '^(?:[Dd][Aa][Tt][Aa]|[Hh][Tt][Tt][Pp][Ss]?):',
	maxLength: 20_971_520,
	description:
		'A base64 data URL of the picture, or its http(s) address where the operator lets the ' +
		'server fetch pictures. In multipart: `input_reference[image_url]`.',
} as const;

const pictureId = {
	type: 'string',
	description: 'The id of a file that was uploaded before. In multipart: `input_reference[file_id]`.',
} as const;

// `readReference` validates the field, because its errors name the exact parameter.
const reference = z.unknown().meta({
	description:
		'The picture to start from: PNG, JPEG or WebP, at most 52,428,800 bytes and 50 ' +
		'megapixels. A file in multipart bodies, or an object with a data URL or the id of an ' +
		'uploaded file.',
	override: {
		oneOf: [
			{ type: 'string', format: 'binary' },
			{
				type: 'object',
				properties: { image_url: pictureUrl },
				required: ['image_url'],
			},
			{
				type: 'object',
				properties: { file_id: pictureId },
				required: ['file_id'],
			},
		],
	},
});

const callback = {
	callback_url: codePoints({ max: 2_048 })
		.optional()
		.meta({
			description:
				'The address of a POST request at the end of the job, where the server supports callbacks. ' +
				'It must be a public https address.',
		}),
	callback_secret: codePoints({ max: 200 }).optional().meta({
		description:
			'The secret that signs this request: `whsec_` and 24 to 64 bytes in base64. Without one it is not signed.',
	}),
};

/** The body of `POST /v1/videos`, in either encoding. Unknown fields are tolerated: SDKs send extra ones. */
export const createBody = z
	.object({
		prompt,
		model: codePoints({ min: 1, max: 256 }).meta({
			description: 'The id of a video model; GET /v1/models lists them.',
		}),
		seconds,
		size,
		input_reference: reference.optional(),
		...callback,
	})
	.meta({
		id: 'VideoCreate',
		examples: [
			{ prompt: 'A forest in the rain', model: 'builtin-video' },
			{ prompt: 'The sea at night', model: 'builtin-video', seconds: '8', size: '1280x720' },
		],
	});

/** The body of `POST /v1/videos/{id}/remix`. */
export const remixBody = z
	.object({ prompt, ...callback })
	.meta({ id: 'VideoRemix', examples: [{ prompt: 'The same in winter' }] });

/** The form of ids, for OpenAPI. */
export const idForm = {
	pattern: '^video_[0-9a-f]{44}$',
	examples: [`video_${'0'.repeat(44)}`],
};

/** The path parameter of one video. A malformed id passes here; the handler responds as for an unknown id. */
export const idParams = z.object({
	id: z.string().meta({ description: 'The id of a video.', ...idForm }),
});

/** The query of `GET /v1/videos`. */
export const listQuery = z.object({
	...pageFields('a video', idForm, { min: 0, max: 100, fallback: 20, description: 'Videos on a page.' }),
	order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By creation time.' }),
});

/** The query of `GET /v1/videos/{id}/content`. */
export const contentQuery = z.object({
	variant: z
		.enum(['video', 'thumbnail', 'spritesheet'])
		.default('video')
		.meta({
			description:
				'The video, a still picture of it, or a JPEG sheet of evenly spaced frames. ' +
				'404 for a picture that the model did not make.',
		}),
});
