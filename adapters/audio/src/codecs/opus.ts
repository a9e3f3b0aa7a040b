import { createEncoder, loadLibopus, Signal } from 'libopus-wasm';
import type { Codec, Settings } from '../encoding.ts';
import { OggStream } from './ogg.ts';

/** Granule positions use this rate, independent of the input rate (RFC 7845 §4). */
const clockRate = 48_000;
/** A packet holds 20 ms. */
const packetsPerSecond = 50;
/** Half a second. With two more, packets of the maximum size, which is six segments, fit the 255 segments of a page. */
const packetsPerPage = 25;

/** Opus in Ogg (RFC 7845). The last page has the exact number of samples. */
export async function openOpus({ sampleRate, kbps }: Settings): Promise<Codec> {
	const { version } = await loadLibopus();
	const frameSize = sampleRate / packetsPerSecond;
	const encoder = await createEncoder({
		...{ channels: 1, sampleRate: sampleRate as 24_000, frameSize, bitrate: kbps * 1_000, signal: Signal.Voice },
		// The maximum is 10. Values above 5 double the time at the same size.
		complexity: 5,
	});
	const lookahead = encoder.getLookahead();
	const scale = clockRate / sampleRate;
	const ogg = new OggStream();
	const pages = headers(sampleRate, lookahead * scale, version).map((packet) => ogg.page([packet], { granule: 0 }));
	/** Samples that do not fill a packet yet, and packets that do not fill a page. */
	let rest = new Int16Array(0);
	const packets: Uint8Array[] = [];
	let receivedSamples = 0;
	let pagedSamples = 0;
	const encode = (samples: Int16Array) => {
		const all = new Int16Array(rest.length + samples.length);
		all.set(rest);
		all.set(samples, rest.length);
		const whole = all.length - (all.length % frameSize);
		for (let at = 0; at < whole; at += frameSize) packets.push(encoder.encode(all.subarray(at, at + frameSize)));
		rest = all.slice(whole);
	};
	return {
		push(samples) {
			receivedSamples += samples.length;
			encode(samples);
			while (packets.length >= packetsPerPage) {
				pagedSamples += packetsPerPage * frameSize;
				pages.push(ogg.page(packets.splice(0, packetsPerPage), { granule: pagedSamples * scale }));
			}
			return Buffer.concat(pages.splice(0));
		},
		end() {
			// Adds silence for the lookahead of the decoder: always at least one packet.
			const missing = Math.ceil((rest.length + lookahead) / frameSize) * frameSize;
			encode(new Int16Array(missing - rest.length));
			return ogg.page(packets, { granule: (receivedSamples + lookahead) * scale, isLast: true });
		},
		close: () => encoder.free(),
	};
}

/** The packets of the two header pages (RFC 7845 §5). */
function headers(sampleRate: number, preSkip: number, vendor: string): readonly Buffer[] {
	const head = Buffer.from('OpusHead\x01\x01..rate\0\0\0', 'latin1');
	head.writeUInt16LE(preSkip, 10);
	head.writeUInt32LE(sampleRate, 12);
	const tags = Buffer.from(`OpusTags....${vendor}\0\0\0\0`);
	tags.writeUInt32LE(Buffer.byteLength(vendor), 8);
	return [head, tags];
}
