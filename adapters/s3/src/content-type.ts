const metadataName = 'content-type';
const anyType = 'application/octet-stream';

/** Headers hold ASCII without loss. Servers change the rest, and some of them parameters, so those go into metadata. */
const plain = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/;

/** What a put says of the type of its bytes. */
export function describeType(contentType: string): { ContentType: string; Metadata?: Record<string, string> } {
	if (plain.test(contentType)) return { ContentType: contentType };
	const [bare = ''] = contentType.split(';');
	return {
		ContentType: plain.test(bare) ? bare : anyType,
		Metadata: { [metadataName]: encodeURIComponent(contentType) },
	};
}

/** The type that was put. */
export function typeOf(found: { ContentType?: string | undefined; Metadata?: Record<string, string> | undefined }) {
	const noted = found.Metadata?.[metadataName];
	return noted === undefined ? (found.ContentType ?? anyType) : decodeURIComponent(noted);
}
