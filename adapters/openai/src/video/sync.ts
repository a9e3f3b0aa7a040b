import type { Upstream } from '../upstream/client.ts';
import { invalidResponse } from '../upstream/failure.ts';
import { longJson } from '../upstream/long-json.ts';
import { members } from '../upstream/reported-error.ts';
import type { RequestBody } from '../upstream/request.ts';
import { type DownloadOptions, download } from './download.ts';
import { videoParams } from './request.ts';

/** Maximum bytes of a video inside JSON. */
const inlineBytes = 268_435_456;

/** Creates a video on a server whose response has the video or its URL. */
export async function synchronousVideo(
	upstream: Upstream,
	body: RequestBody,
	options: DownloadOptions,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
	const { signal } = options;
	const answer = await upstream.send({
		method: 'POST',
		path: '/video',
		root: true,
		body,
		params: videoParams,
		isCostly: true,
		retriesWhileBusy: true,
		signal,
	});
	const json = longJson(await answer.bytes(inlineBytes), answer.where);
	const { data } = members(json.value);
	const { url, b64_json: base64 } = members(Array.isArray(data) ? data[0] : undefined);
	const address = json.text(url);
	if (address) return download((headers) => upstream.fetch(address, signal, headers), options);
	const video = await json.bytes(base64);
	if (video) return video;
	throw invalidResponse(answer.where, 'sent no video');
}
