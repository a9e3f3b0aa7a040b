import { parentPort } from 'node:worker_threads';
import type { Codec } from './codecs/codec.ts';
import { openCodec } from './codecs/open.ts';
import type { WorkerRequest, WorkerResponse } from './messages.ts';

const codecs = new Map<number, Promise<Codec>>();

parentPort?.on('message', (request: WorkerRequest) => {
	const { id } = request;
	switch (request.kind) {
		case 'open': {
			const codec = openCodec(request.settings);
			// The first request that needs the codec reports the failure.
			codec.catch(() => {});
			codecs.set(id, codec);
			return;
		}
		case 'push':
			return void respond(id, (codec) => codec.push(readSamples(request.samples)));
		case 'end':
			return void respond(id, (codec) => codec.end());
		case 'close': {
			const codec = codecs.get(id);
			codecs.delete(id);
			codec?.then((opened) => opened.close()).catch(() => {});
		}
	}
});

async function respond(id: number, work: (codec: Codec) => ReturnType<Codec['end']>): Promise<void> {
	try {
		const codec = await codecs.get(id);
		if (!codec) return;
		const bytes = await work(codec);
		post({ id, bytes }, [bytes.buffer]);
	} catch (error) {
		const failure = error instanceof Error ? error.message : 'The encoder failed.';
		post({ id, failure }, []);
	}
}

function post(message: WorkerResponse, transfer: ArrayBuffer[]): void {
	parentPort?.postMessage(message, transfer);
}

/** Samples from s16le on any machine. */
function readSamples(bytes: Uint8Array): Int16Array<ArrayBuffer> {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true));
}
