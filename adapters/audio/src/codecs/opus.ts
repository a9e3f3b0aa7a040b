import { createEncoder, loadLibopus, type OpusEncoderHandle, Signal } from 'libopus-wasm';
import type { Settings } from '../messages.ts';
import { type Codec, concat } from './codec.ts';
import { OggStream } from './ogg.ts';

/** Granule positions use this rate, independent of the input rate (RFC 7845 §4). */
const clockRate = 48_000;
/** A packet holds 20 ms. */
const packetsPerSecond = 50;
/**
 * Half a second. At the maximum packet size of 1,275 bytes, or six segments, these packets and two more fit
 * the 255 segments of a page.
 */
const packetsPerPage = 25;

/** Opus in Ogg (RFC 7845). The last page has the exact number of samples. */
export async function openOpus({ sampleRate, kbps }: Settings): Promise<Codec> {
	const { version } = await loadLibopus();
	const encoder = await createEncoder({
		channels: 1,
		sampleRate: sampleRate as 24_000,
		frameSize: sampleRate / packetsPerSecond,
		bitrate: kbps * 1_000,
		// Of 10. Above it the time doubles at the same size.
		complexity: 5,
		signal: Signal.Voice,
	});
	return new OggOpus(encoder, version);
}

class OggOpus implements Codec {
	readonly #encoder: OpusEncoderHandle;
	readonly #version: string;
	readonly #ogg = new OggStream();
	readonly #scale: number;
	/** Length of one packet, in input samples. */
	readonly #frameSize: number;
	/** Samples that do not fill a packet yet. */
	#rest = new Int16Array(0);
	/** Packets that do not fill a page yet. */
	#packets: Uint8Array[] = [];
	#received = 0;
	/** Samples in pages. */
	#paged = 0;
	#hasHeader = false;

	constructor(encoder: OpusEncoderHandle, version: string) {
		this.#encoder = encoder;
		this.#version = version;
		this.#frameSize = encoder.frameSize;
		this.#scale = clockRate / encoder.sampleRate;
	}

	push(samples: Int16Array): Uint8Array<ArrayBuffer> {
		const pages = this.#hasHeader ? [] : this.#headerPages();
		this.#hasHeader = true;
		this.#received += samples.length;
		this.#encode(samples);
		while (this.#packets.length >= packetsPerPage) {
			const packets = this.#packets.splice(0, packetsPerPage);
			this.#paged += packetsPerPage * this.#frameSize;
			pages.push(this.#ogg.page(packets, { granule: this.#paged * this.#scale }));
		}
		return concat(pages);
	}

	end(): Uint8Array<ArrayBuffer> {
		// Adds silence for the lookahead of the decoder: always at least one packet.
		const missing = this.#rest.length + this.#encoder.getLookahead();
		const packets = Math.ceil(missing / this.#frameSize);
		this.#encode(new Int16Array(packets * this.#frameSize - this.#rest.length));
		const granule = (this.#received + this.#encoder.getLookahead()) * this.#scale;
		return concat([this.#ogg.page(this.#packets, { granule, isLast: true })]);
	}

	close(): void {
		this.#encoder.free();
	}

	#encode(samples: Int16Array): void {
		const all = new Int16Array(this.#rest.length + samples.length);
		all.set(this.#rest);
		all.set(samples, this.#rest.length);
		const whole = all.length - (all.length % this.#frameSize);
		for (let start = 0; start < whole; start += this.#frameSize) {
			this.#packets.push(this.#encoder.encode(all.subarray(start, start + this.#frameSize)));
		}
		this.#rest = all.slice(whole);
	}

	/** The two header pages (RFC 7845 §5). */
	#headerPages(): Uint8Array[] {
		const head = Buffer.alloc(19);
		head.write('OpusHead', 'latin1');
		head.writeUInt8(1, 8);
		head.writeUInt8(this.#encoder.channels, 9);
		head.writeUInt16LE(this.#encoder.getLookahead() * this.#scale, 10);
		head.writeUInt32LE(this.#encoder.sampleRate, 12);
		const vendor = Buffer.from(this.#version);
		const tags = Buffer.alloc(8 + 4 + vendor.length + 4);
		tags.write('OpusTags', 'latin1');
		tags.writeUInt32LE(vendor.length, 8);
		vendor.copy(tags, 12);
		return [head, tags].map((packet) => this.#ogg.page([packet], { granule: 0 }));
	}
}
