import { z } from 'zod';

const limits = 'at most 52,428,800 bytes and 50 megapixels';

const file = { type: 'string' as const, format: 'binary' };
const withUrl = {
	type: 'object' as const,
	properties: {
		image_url: {
			type: 'string' as const,
			pattern: '^[Dd][Aa][Tt][Aa]:',
			description: 'A base64 data URL of the picture. Other addresses are not fetched.',
		},
	},
	required: ['image_url'],
};

/** A field that holds one picture, in any spelling. Only described here: what it holds is read, and refused, by `readInputs`. */
export function sentPicture(description: string) {
	return z
		.unknown()
		.meta({ description: `${description} ${limits}.`, override: { oneOf: [file, withUrl] } })
		.optional();
}

/** A field that holds one picture or a list of them. */
export function sentPictures(options: {
	readonly description: string;
	/** Only a list is described. */
	readonly listOnly?: boolean;
}) {
	const list = (items: object) => ({ type: 'array' as const, items, minItems: 1, maxItems: 16 });
	const lists = [list(file), list(withUrl)];
	const forms = options.listOnly ? lists : [file, withUrl, ...lists];
	return z
		.unknown()
		.meta({
			description: `${options.description} PNG, JPEG or WebP, ${limits} each.`,
			override: { oneOf: forms },
		})
		.optional();
}
