import type {
	FitOptions,
	ImageInfo,
	RawImage,
	TranscodedImage,
	TranscodeOptions,
} from '@plinth/toolkit';

/** What can be done with an encoded picture, here or in the worker process. */
export type Task =
	| { readonly kind: 'probe' }
	| { readonly kind: 'fit'; readonly options: FitOptions }
	| { readonly kind: 'transcode'; readonly options: TranscodeOptions };

/** What each kind of task gives. */
export interface TaskResults {
	readonly probe: ImageInfo;
	readonly fit: RawImage;
	readonly transcode: TranscodedImage;
}

/** What a task gives. */
export type TaskResult<T extends Task> = TaskResults[T['kind']];
