import { Readable } from 'node:stream';
import { type Call, isUpload } from '@plinth/core';
import type { SentDocument, SpeechReader } from '@plinth/toolkit';

/** Transcribes a file. Rejects with 400 errors that name `param`, and with failures of the model. */
export type Transcribe = (document: SentDocument, param: string, signal: AbortSignal) => Promise<string>;

/** The transcription of files for a request; undefined if the server has no transcription model. */
export function transcriptionFor(speech: SpeechReader | undefined, call: Call): Transcribe | undefined {
	if (!speech?.isAvailable) return undefined;
	const { principal, log } = call;
	return async (document, param, signal) => {
		const isFile = isUpload(document);
		const file = isFile
			? document
			: await call.keep(Readable.from([document]), { filename: '', maxBytes: document.byteLength });
		return speech.read(file, param, { principal, log, signal });
	};
}
