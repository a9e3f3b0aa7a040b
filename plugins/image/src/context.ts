import type { BlobStore, Clock, Logger, Models } from '@plinth/core';
import type { FileSources, ImageCodec, SigningKey } from '@plinth/toolkit';
import type { ImageModel } from './model.ts';
import type { ImageOptions } from './options.ts';
import type { RequestLimit } from './work/request-limit.ts';

/** Dependencies of the routes. */
export interface ImageContext {
	readonly options: ImageOptions;
	readonly models: Models<ImageModel>;
	readonly images: ImageCodec;
	/** Sources of the files and pictures that requests reference. */
	readonly sources: FileSources;
	readonly blobs: BlobStore;
	readonly key: SigningKey;
	readonly requestLimit: RequestLimit;
	readonly clock: Clock;
	readonly log: Logger;
}
