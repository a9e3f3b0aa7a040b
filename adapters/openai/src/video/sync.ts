import type { Upstream } from '../upstream/client.ts';
import { members } from '../upstream/complaint.ts';
import { brokenAnswer } from '../upstream/failure.ts';
import { longJson } from '../upstream/long-json.ts';
import type { RequestBody } from '../upstream/request.ts';
import { type DownloadOptions, download } from './download.ts';
import { videoParams } from './request.ts';

/** Most bytes of a video that comes inside JSON. */
const inlineBytes = 268_435_456;

/** Asks a server that answers when the video is there, with its address or with the video itself. */
export async function videoAtOnce(
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
		isPatient: true,
		signal,
	});
	const json = longJson(await answer.bytes(inlineBytes), answer.where);
	const { data } = members(json.value);
	const { url, b64_json: base64 } = members(Array.isArray(data) ? data[0] : undefined);
	const address = json.text(url);
	if (address) return download((headers) => upstream.fetch(address, signal, headers), options);
	const video = await json.bytes(base64);
	if (video) return video;
	throw brokenAnswer(answer.where, 'sent no video');
}
