import type { ModelCaller, UploadedFile } from '@plinth/core';

/** Writes down what is said in sound files, for capabilities whose models cannot hear. */
export interface SpeechReader {
	/** False where the server has no model that hears: then `read` is not called. */
	readonly isAvailable: boolean;
	/** The text of a file. Rejects with 400 errors that name `param`, with failures of the model, and on an abort. */
	read(file: UploadedFile, param: string, caller: ModelCaller): Promise<string>;
}
