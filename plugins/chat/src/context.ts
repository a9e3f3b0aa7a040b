import type { Clock, Models } from '@plinth/core';
import type { Capacity, DocumentReader, FileSources, ImageCodec, PerTenantLimit, SpeechReader } from '@plinth/toolkit';
import type { ChatModel } from './model.ts';
import type { ChatOptions } from './options.ts';

/** Dependencies of the route. */
export interface ChatContext {
	readonly options: ChatOptions;
	readonly models: Models<ChatModel>;
	readonly documents: DocumentReader | undefined;
	readonly images: ImageCodec | undefined;
	readonly speech: SpeechReader | undefined;
	/** Sources of the files and pictures that requests reference. */
	readonly sources: FileSources;
	/** Bounds the document characters of all concurrent requests. */
	readonly textCapacity: Capacity;
	readonly readLimit: PerTenantLimit;
	readonly clock: Clock;
}
