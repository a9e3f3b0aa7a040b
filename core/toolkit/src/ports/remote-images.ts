import type { Call, UploadedFile } from '@plinth/core';

/** The parts of a call that a fetch needs: the principal, the signal, and temporary storage. */
export type FetchingCall = Pick<Call, 'principal' | 'signal' | 'keep'>;

/** Fetches pictures from addresses in requests. */
export interface RemoteImages {
	/**
	 * Downloads an http(s) address to a temporary file that is kept as long as an upload. The content is not checked.
	 * Rejects with 400 `E_VALUE_INVALID` that names `param`; the message reveals nothing about the server's network.
	 */
	fetch(url: string, param: string, call: FetchingCall): Promise<UploadedFile>;
}
