import { type Base64, base64 } from '@plinth/core';
import { z } from 'zod';
import { formatSize } from '../request/sizes.ts';
import type { MadePicture } from '../work/make.ts';
import { usageSchema } from './usage.ts';

const item = z.object({
	b64_json: z.string().optional().meta({ description: 'The picture in base64, unless `response_format` is `url`.' }),
	url: z.string().optional().meta({ description: 'An address that needs no key and works for a limited time.' }),
	revised_prompt: z.string().optional().meta({ description: 'The prompt as the model understood it.' }),
});

/** The response of both operations when not streamed. */
export const imagesSchema = z
	.object({
		created: z.int().min(0).meta({ description: 'Unix seconds.' }),
		data: z.array(item).meta({ description: 'The pictures: `n` of them, less those that `filtered_count` counts.' }),
		background: z.enum(['transparent', 'opaque']).optional().meta({
			description: 'Whether any pixel of the first picture is transparent. Absent without a picture.',
		}),
		output_format: z.enum(['png', 'jpeg', 'webp']),
		quality: z
			.enum(['low', 'medium', 'high'])
			.meta({ description: 'The requested quality, or what the model chose for `auto`.' }),
		size: z
			.string()
			.optional()
			.meta({
				description: 'WIDTHxHEIGHT of the first picture, in pixels. Absent without a picture.',
				examples: ['1024x1024'],
			}),
		usage: usageSchema,
		filtered_count: z.int().min(0).meta({ description: 'How many pictures the filter of the model withheld.' }),
		warnings: z.array(z.string()).optional().meta({
			description: 'Options that the model ignored; absent when there are none.',
		}),
	})
	.meta({ id: 'Images', description: 'Finished pictures.' });

/** A response as clients see it. */
export type Images = Omit<z.input<typeof imagesSchema>, 'data'> & {
	readonly data: readonly PictureItem[];
};

/** One picture of a response. */
export interface PictureItem {
	/** Text, or bytes that become base64 text when they are written. */
	readonly b64_json?: string | Base64;
	readonly url?: string;
	readonly revised_prompt?: string;
}

/** The bytes or the URL of a picture. */
export function itemOf({ data }: Pick<MadePicture, 'data'>, url?: string): Pick<PictureItem, 'b64_json' | 'url'> {
	return url === undefined ? { b64_json: base64(data) } : { url };
}

/** Size and background of a picture. */
export function metadataOf(picture: Pick<MadePicture, 'isTransparent' | 'width' | 'height'>): {
	readonly size: string;
	readonly background: 'transparent' | 'opaque';
} {
	return {
		size: formatSize(picture),
		background: picture.isTransparent ? 'transparent' : 'opaque',
	};
}

/** The `quality` in a response when neither the client nor the model states one. */
export const defaultQuality = 'high';
