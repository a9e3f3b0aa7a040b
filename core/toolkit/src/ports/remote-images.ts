import type { Call, UploadedFile } from '@plinth/core';

/** The call that a picture is fetched for: its principal, its signal, and where the bytes are kept. */
export type FetchingCall = Pick<Call, 'principal' | 'signal' | 'keep'>;

/** Fetches pictures from addresses that requests name. */
export interface RemoteImages {
	/**
	 * Downloads an http(s) address to a temporary file that lives as long as an upload. Does not check that it is a
	 * picture. Rejects with a 400 `E_VALUE_INVALID` that names `param` and tells nothing about the server's network.
	 */
	fetch(url: string, param: string, call: FetchingCall): Promise<UploadedFile>;
}
