import { on } from 'node:events';
import type { Codec, EncodingResponse, EncodingTask } from './encoding.ts';

/** Runs one encoding or decoding. A thread may run several at once. */
export default async function encode({ settings, port }: EncodingTask): Promise<void> {
	const respond = (response: EncodingResponse) =>
		port.postMessage(response, 'failure' in response ? [] : [response.buffer]);
	const requests = on(port, 'message', { close: ['close'] });
	try {
		const codec = await openCodec(settings);
		try {
			for await (const [samples] of requests as AsyncIterable<[Uint8Array | null]>) {
				// Copied, because a codec reuses its memory.
				respond(new Uint8Array(await (samples ? codec.push(readSamples(samples)) : codec.end())));
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

/** Starts an encoding or a decoding. The library of a format is loaded on first use. */
async function openCodec(settings: EncodingTask['settings']): Promise<Codec> {
	if ('path' in settings) return (await import('./codecs/decoding.ts')).openDecoding(settings);
	if (settings.format === 'mp3') return (await import('./codecs/mp3.ts')).openMp3(settings);
	if (settings.format === 'opus') return (await import('./codecs/opus.ts')).openOpus(settings);
	return (await import('./codecs/muxed.ts')).openMuxed(settings);
}

/** Reads s16le samples, whatever the byte order of the machine. */
function readSamples(bytes: Uint8Array): Int16Array<ArrayBuffer> {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true));
}
