import { codePoints } from '@plinth/core';
import { formBoolean, formInteger } from '@plinth/toolkit';
import { z } from 'zod';
import type { ImageRequest } from '../model.ts';
import { pictureField, pictureListField } from './picture-fields.ts';
import { sizeError } from './sizes.ts';

/** The names of `quality`, and the value passed to the model. */
const qualities = {
	auto: 'auto',
	low: 'low',
	medium: 'medium',
	high: 'high',
	xhigh: 'high',
	max: 'high',
	standard: 'medium',
	hd: 'high',
} as const;

function prompt(description: string) {
	return codePoints({ min: 1, max: 32_000 }).regex(/\S/, 'more than blanks is expected').meta({ description });
}

/** An integer with a default, for validation and OpenAPI. */
function count(min: number, max: number, defaultValue: number, description: string) {
	return formInteger({ min, max })
		.default(defaultValue)
		.meta({ description, override: { default: defaultValue } });
}

/** The fields of both operations, in the order of the OpenAPI document. */
const common = {
	model: codePoints({ min: 1, max: 256 }).meta({
		description: 'The id of an image model; GET /v1/models lists them.',
	}),
	n: count(1, 10, 1, 'How many pictures to make.'),
	background: z
		.enum(['auto', 'transparent', 'opaque'])
		.default('auto')
		.meta({ description: '`transparent` needs png or webp. `auto`: the model decides.' }),
	output_format: z.enum(['png', 'jpeg', 'webp']).default('png').meta({ description: 'The format of the pictures.' }),
	output_compression: count(
		0,
		100,
		100,
		'The quality of jpeg and webp. For png, which is lossless, 100 means the least effort to make the file small.',
	),
	moderation: z
		.enum(['auto', 'low'])
		.default('auto')
		.meta({ description: "How strict the model's own filter is, where it has one." }),
	num_inference_steps: formInteger({ min: 1, max: 50 })
		.meta({ description: 'Steps of inference. Absent: the model decides.' })
		.optional(),
	partial_images: count(
		0,
		3,
		0,
		'The maximum number of partial images per picture in a stream. Ignored without `stream`.',
	),
	response_format: z.enum(['b64_json', 'url']).default('b64_json').meta({
		description: '`b64_json`: the bytes, in base64. `url`: an address that needs no key and works for a limited time.',
	}),
	user: codePoints({ max: 1024 })
		.meta({ description: "The caller's identifier of its user; the model receives it." })
		.optional(),
	safety_identifier: codePoints({ max: 1024 })
		.meta({ description: 'The same as `user`, for newer clients. The model receives it where there is no `user`.' })
		.optional(),
	stream: formBoolean()
		.default(false)
		.meta({
			description: 'Sends the pictures as server-sent events, each one as soon as it is finished.',
			override: { default: false },
		}),
	seed: formInteger({ min: 0, max: 0xffff_ffff })
		.meta({
			description:
				'An extension: the seed of the first picture; each further picture has the next number. ' +
				'Absent: computed from the request, so that equal requests make equal pictures.',
		})
		.optional(),
};

/** JSON Schema of the conflict between fields: jpeg has no transparency. */
const noTransparentJpeg = {
	not: {
		properties: { background: { const: 'transparent' }, output_format: { const: 'jpeg' } },
		required: ['background', 'output_format'],
	},
};

const anySize = z
	.string()
	.superRefine((text, ctx) => {
		const message = sizeError(text);
		if (message) ctx.addIssue({ code: 'custom', message });
	})
	.default('auto')
	.meta({
		description:
			'`auto`: the model decides. Otherwise WIDTHxHEIGHT in pixels: multiples of 16, each side 64 to 3840, shapes from ' +
			'1:3 to 3:1, at most 8,294,400 pixels.',
		override: {
			type: 'string',
			pattern: '^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$',
			default: 'auto',
			examples: ['auto', '1024x1024', '1536x1024', '1024x1536', '512x512'],
		},
	});

const effort = 'How much effort the model makes. `auto`: the model decides.';

/** The body of `POST /v1/images/generations`. Unknown fields are tolerated: SDKs send extra ones. */
export const generationBody = z
	.object({
		prompt: prompt('What the picture shows.'),
		...common,
		size: anySize,
		quality: z
			.enum(Object.keys(qualities) as readonly (keyof typeof qualities)[])
			.default('auto')
			.meta({ description: `${effort} \`xhigh\`, \`max\` and \`hd\` mean \`high\`, \`standard\` means \`medium\`.` }),
		style: z.enum(['vivid', 'natural']).meta({ description: 'A hint of older clients.' }).optional(),
	})
	.meta({
		id: 'ImageGeneration',
		description: 'What the picture shows, and its options.',
		override: noTransparentJpeg,
		examples: [
			{ model: 'builtin-image', prompt: 'A lighthouse above the sea at dusk' },
			{ model: 'builtin-image', prompt: 'A fox', size: '1536x1024', n: 2, output_format: 'webp' },
		],
	});

/**
 * The body of `POST /v1/images/edits`, in either encoding. `readInputs` validates the pictures, because its
 * errors name the exact parameter.
 */
export const editBody = z
	.object({
		prompt: prompt('A description of the complete result, not only of the change.'),
		image: pictureListField({
			description:
				'The pictures, 1 to 16 of them, in their order; the first one is changed. Files in ' +
				'multipart bodies (`image`, several times `image` or `image[]`), or objects with a data ' +
				'URL or the id of an uploaded file.',
		}),
		images: pictureListField({
			listOnly: true,
			description: 'The same as `image`, as JSON clients spell it. Send one of the two.',
		}),
		mask: pictureField(
			'The first picture may change where the alpha of the mask is 0, and stays where it is 255. ' +
				'The mask has the size of that picture and an alpha channel. PNG or WebP,',
		),
		...common,
		input_fidelity: z
			.enum(['low', 'high'])
			.default('low')
			.meta({ description: 'How closely the result follows the input pictures.' }),
		size: anySize,
		quality: z.enum(['auto', 'low', 'medium', 'high']).default('auto').meta({ description: effort }),
	})
	.meta({
		id: 'ImageEdit',
		description: 'Pictures, and how to change them.',
		override: { oneOf: [{ required: ['image'] }, { required: ['images'] }], ...noTransparentJpeg },
		examples: [
			{
				model: 'builtin-image',
				prompt: 'black and white, with a border',
				image: { image_url: 'data:image/png;base64,iVBORw0KGgo=' },
			},
		],
	});

/** A checked body of `POST /v1/images/generations`. */
export type GenerationBody = z.output<typeof generationBody>;
/** A checked body of `POST /v1/images/edits`. */
export type EditBody = z.output<typeof editBody>;

/** Resolves an alias of `quality`. */
export function modelQuality(name: GenerationBody['quality']): ImageRequest['quality'] {
	return qualities[name];
}
