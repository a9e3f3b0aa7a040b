import type { Clock, Models } from '@plinth/core';
import type {
	Capacity,
	DocumentReader,
	FileSources,
	ImageCodec,
	PerTenantLimit,
} from '@plinth/toolkit';
import type { ChatModel } from './model.ts';
import type { ChatOptions } from './options.ts';

/** What requests are answered with. */
export interface ChatContext {
	readonly options: ChatOptions;
	readonly models: Models<ChatModel>;
	readonly documents: DocumentReader | undefined;
	readonly images: ImageCodec | undefined;
	/** Where files lie that requests name. */
	readonly sources: FileSources;
	/** The characters of the documents of all requests. */
	readonly held: Capacity;
	readonly turns: PerTenantLimit;
	readonly clock: Clock;
}
