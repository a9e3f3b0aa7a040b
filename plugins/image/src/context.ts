import type { BlobStore, Clock, Logger, Models } from '@plinth/core';
import type { FileSources, ImageCodec } from '@plinth/toolkit';
import type { SigningKey } from './links/signing-key.ts';
import type { ImageModel } from './model.ts';
import type { ImageOptions } from './options.ts';
import type { WorkLoad } from './work/load.ts';

/** What the routes work with. */
export interface ImageContext {
	readonly options: ImageOptions;
	readonly models: Models<ImageModel>;
	readonly images: ImageCodec;
	/** Where pictures lie that requests name. */
	readonly sources: FileSources;
	readonly blobs: BlobStore;
	readonly key: SigningKey;
	readonly load: WorkLoad;
	readonly clock: Clock;
	readonly log: Logger;
}
