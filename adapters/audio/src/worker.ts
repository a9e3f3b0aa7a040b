import { on } from 'node:events';
import { openCodec } from './codecs/open.ts';
import type { EncodingResponse, EncodingTask } from './messages.ts';

/** One encoding or decoding, in a thread that it may share with others. */
export default async function encode({ settings, port }: EncodingTask): Promise<void> {
	const respond = (response: EncodingResponse) =>
		port.postMessage(response, 'failure' in response ? [] : [response.buffer]);
	const requests = on(port, 'message', { close: ['close'] });
	try {
		const codec = await openCodec(settings);
		try {
			for await (const [samples] of requests as AsyncIterable<[Uint8Array | null]>) {
				respond(await (samples ? codec.push(readSamples(samples)) : codec.end()));
				if (!samples && !('path' in settings)) return;
			}
		} finally {
			codec.close();
		}
	} catch (error) {
		respond({ failure: error instanceof Error ? error.message : 'The encoder failed.' });
	} finally {
		port.close();
	}
}

/** Samples from s16le on any machine. */
function readSamples(bytes: Uint8Array): Int16Array<ArrayBuffer> {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true));
}
