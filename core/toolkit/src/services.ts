import { defineService } from '@plinth/core';
import type { DocumentReader } from './ports/document-reader.ts';
import type { FileSource } from './ports/file-source.ts';
import type { ImageCodec } from './ports/image-codec.ts';
import type { JobCallbacks } from './ports/job-callbacks.ts';
import type { JobFeed } from './ports/job-feed.ts';
import type { RemoteImages } from './ports/remote-images.ts';
import type { SpeechReader } from './ports/speech-reader.ts';

/** The services that capabilities share. Backends and plugins provide them; the kernel does not know them. */
export const mediaServices = {
	images: defineService<ImageCodec>('media.images'),
	documents: defineService<DocumentReader>('media.documents'),
	files: defineService<FileSource>('media.files'),
	remoteImages: defineService<RemoteImages>('media.remoteImages'),
	callbacks: defineService<JobCallbacks>('media.callbacks'),
	feed: defineService<JobFeed>('media.feed'),
	speech: defineService<SpeechReader>('media.speech'),
} as const;
