import { CachedReader } from '../documents/cached-reader.ts';
import type { DocumentReader } from '../ports/document-reader.ts';
import type { ServiceRef } from '../service.ts';
import { services } from '../services.ts';

/** What everybody gets of a service: documents are read through a cache by content, all else is as its provider made it. */
export function served(ref: ServiceRef<unknown>, value: unknown): unknown {
	return ref.id === services.documents.id ? new CachedReader(value as DocumentReader) : value;
}
