import { z } from 'zod';

const limits = 'at most 52,428,800 bytes and 50 megapixels';

const file = { type: 'string' as const, format: 'binary' };
const withUrl = {
	type: 'object' as const,
	properties: {
		image_url: {
			type: 'string' as const,
			pattern: '^(?:[Dd][Aa][Tt][Aa]|[Hh][Tt][Tt][Pp][Ss]?):',
			description:
				'A base64 data URL of the picture, or its http(s) address where the operator lets the server fetch pictures.',
		},
	},
	required: ['image_url'],
};
const withId = {
	type: 'object' as const,
	properties: {
		file_id: {
			type: 'string' as const,
			description: 'The id of a file that was uploaded before.',
		},
	},
	required: ['file_id'],
};

/** A field with one picture in any spelling. The schema only documents it; `readInputs` validates the value. */
export function pictureField(description: string) {
	return z
		.unknown()
		.meta({
			description: `${description} ${limits}.`,
			override: { oneOf: [file, withUrl, withId] },
		})
		.optional();
}

/** A field with one picture or a list of them. */
export function pictureListField(options: {
	readonly description: string;
	/** Documents only a list. */
	readonly listOnly?: boolean;
}) {
	const list = (items: object) => ({ type: 'array' as const, items, minItems: 1, maxItems: 16 });
	const lists = [list(file), list({ type: 'object', oneOf: [withUrl, withId] })];
	const forms = options.listOnly ? lists : [file, withUrl, withId, ...lists];
	return z
		.unknown()
		.meta({
			description: `${options.description} PNG, JPEG or WebP, ${limits} each.`,
			override: { oneOf: forms },
		})
		.optional();
}
