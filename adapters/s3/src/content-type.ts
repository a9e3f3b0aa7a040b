const metadataName = 'content-type';
const anyType = 'application/octet-stream';

/** Types that headers keep unchanged. Servers change non-ASCII text, and some parameters: those need metadata. */
const plain = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/;

/** The members of a put for a content type. */
export function describeType(contentType: string): { ContentType: string; Metadata?: Record<string, string> } {
	if (plain.test(contentType)) return { ContentType: contentType };
	const [bare = ''] = contentType.split(';');
	return {
		ContentType: plain.test(bare) ? bare : anyType,
		Metadata: { [metadataName]: encodeURIComponent(contentType) },
	};
}

/** The content type that was put with an object. */
export function typeOf(object: { ContentType?: string | undefined; Metadata?: Record<string, string> | undefined }) {
	const original = object.Metadata?.[metadataName];
	return original === undefined ? (object.ContentType ?? anyType) : decodeURIComponent(original);
}
