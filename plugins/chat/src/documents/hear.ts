import { Readable } from 'node:stream';
import { type Call, isUpload } from '@plinth/core';
import type { SentDocument, SpeechReader } from '@plinth/toolkit';

/** Writes down what is said in a file. Rejects with 400 errors that name `param`, and with failures of the model. */
export type Hear = (document: SentDocument, param: string, signal: AbortSignal) => Promise<string>;

/** How a request hears files; undefined where the server has no model that does. */
export function hearingFor(speech: SpeechReader | undefined, call: Call): Hear | undefined {
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
