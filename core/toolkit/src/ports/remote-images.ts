import type { Call, UploadedFile } from '@plinth/core';

/** What a picture is fetched for: who wants it, for how long, and where its bytes go. */
export type FetchingCall = Pick<Call, 'principal' | 'signal' | 'keep'>;

/** Pictures behind addresses that requests name. */
export interface RemoteImages {
	/**
	 * Brings what an http(s) address answers with to a temporary file with the life of an upload. Whether that is a picture has not been looked at.
	 * Rejects with 400 `E_VALUE_INVALID` for what cannot be had, in words that tell nothing of the network that the server stands in. The error
	 * names `param`.
	 */
	fetch(url: string, param: string, call: FetchingCall): Promise<UploadedFile>;
}
