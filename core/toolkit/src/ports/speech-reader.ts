import type { ModelCaller, UploadedFile } from '@plinth/core';

/** Transcribes audio files, for capabilities whose models do not accept audio. */
export interface SpeechReader {
	/** False when the server has no transcription model. Then `read` must not be called. */
	readonly isAvailable: boolean;
	/** Transcribes a file. Rejects with 400 errors that name `param`, with failures of the model, and on an abort. */
	read(file: UploadedFile, param: string, caller: ModelCaller): Promise<string>;
}
