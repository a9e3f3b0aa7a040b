import type { FitOptions, ImageInfo, RawImage, TranscodedImage, TranscodeOptions } from '@plinth/toolkit';

/** Operations on an encoded picture, here or in the worker process. */
export type Task =
	| { readonly kind: 'probe' }
	| { readonly kind: 'fit'; readonly options: FitOptions }
	| { readonly kind: 'transcode'; readonly options: TranscodeOptions };

/** The result of each kind of task. */
export interface TaskResults {
	readonly probe: ImageInfo;
	readonly fit: RawImage;
	readonly transcode: TranscodedImage;
}

/** The result of a task. */
export type TaskResult<T extends Task> = TaskResults[T['kind']];
