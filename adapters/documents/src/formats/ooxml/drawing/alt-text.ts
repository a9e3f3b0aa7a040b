import { alternative } from '../../flow/alternative.ts';

/** What Office adds to a description that it made itself. */
const addition = /\s*(?:Description automatically generated.*|AI-generated content may be incorrect\.?)$/is;

/** The description of a picture in brackets, or nothing when it says nothing. */
export function altText(description = ''): string {
	return alternative(description.replace(/\s+/g, ' ').trim().replace(addition, '')) ?? '';
}
