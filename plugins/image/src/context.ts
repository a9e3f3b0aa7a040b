import type { BlobStore, Clock, ImageCodec, Logger, Models } from '@plinth/core';
import type { WorkLoad } from './load.ts';
import type { ImageModel } from './model.ts';
import type { ImageOptions } from './options.ts';
import type { SigningKey } from './signing-key.ts';

/** What the routes work with. */
export interface ImageContext {
	readonly options: ImageOptions;
	readonly models: Models<ImageModel>;
	readonly images: ImageCodec;
	readonly blobs: BlobStore;
	readonly key: SigningKey;
	readonly load: WorkLoad;
	readonly clock: Clock;
	readonly log: Logger;
}
