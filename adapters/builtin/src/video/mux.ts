import {
	ALL_FORMATS,
	BufferSource,
	BufferTarget,
	EncodedPacketSink,
	EncodedVideoPacketSource,
	Input,
	type InputVideoTrack,
	Mp4OutputFormat,
	Output,
} from 'mediabunny';
import { FRAME_RATE } from './timing.ts';

/** Written into every file, so that nobody takes it for the work of a generative model. */
const PROVENANCE = 'Plinth builtin-video, procedural';

/** The colours that frames are drawn in; the encoder leaves them out of its stream. */
const colorSpace = {
	primaries: 'bt709',
	transfer: 'bt709',
	matrix: 'bt709',
	fullRange: false,
} as const;

/**
 * Joins the groups of one video into one MP4 whose index comes first.
 * Frame n starts at exactly n / 24 seconds. Equal groups give equal bytes.
 */
export async function joinGroups(groups: readonly Uint8Array[]): Promise<Uint8Array> {
	const target = new BufferTarget();
	const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
	const video = new EncodedVideoPacketSource('avc');
	output.addVideoTrack(video, { frameRate: FRAME_RATE });
	output.setMetadataTags({ comment: PROVENANCE, raw: { '©too': PROVENANCE } });
	await output.start();
	let frames = 0;
	let config: VideoDecoderConfig | undefined;
	for (const group of groups) {
		// Not `using`: Node 22 has no such statement.
		const input = new Input({ source: new BufferSource(group), formats: ALL_FORMATS });
		try {
			const { track, decoderConfig } = await openTrack(input);
			if (config && !sameSets(config, decoderConfig))
				throw new Error('The groups of a video have different parameter sets.');
			config ??= { ...decoderConfig, colorSpace };
			frames = await appendGroup(video, track, frames, config);
		} finally {
			input.dispose();
		}
	}
	await output.finalize();
	const bytes = new Uint8Array(target.buffer as ArrayBuffer);
	clearDates(bytes);
	return bytes;
}

async function openTrack(input: Input): Promise<{ track: InputVideoTrack; decoderConfig: VideoDecoderConfig }> {
	const track = await input.getPrimaryVideoTrack();
	const decoderConfig = await track?.getDecoderConfig();
	if (track && decoderConfig) return { track, decoderConfig };
	throw new Error('The encoder returned a group of pictures without a video track.');
}

/** Adds the packets of one group behind `frames` earlier ones, and returns how many there are then. */
async function appendGroup(
	video: EncodedVideoPacketSource,
	track: InputVideoTrack,
	frames: number,
	decoderConfig: VideoDecoderConfig,
): Promise<number> {
	let index = frames;
	for await (const packet of new EncodedPacketSink(track).packets()) {
		const timed = packet.clone({
			timestamp: index / FRAME_RATE,
			duration: 1 / FRAME_RATE,
			// The encoder's own file lists every frame as a key frame, and players would seek to any of them.
			type: index === frames ? 'key' : 'delta',
		});
		await video.add(timed, index === 0 ? { decoderConfig } : undefined);
		index++;
	}
	return index;
}

/** True when both groups are decoded with the same sequence and picture parameters. */
function sameSets(a: VideoDecoderConfig, b: VideoDecoderConfig): boolean {
	return Buffer.compare(parametersOf(a), parametersOf(b)) === 0;
}

function parametersOf({ description }: VideoDecoderConfig): Uint8Array {
	if (description === undefined) return new Uint8Array();
	if (!ArrayBuffer.isView(description)) return new Uint8Array(description);
	return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
}

/** Boxes that hold boxes, on the way to the dates. */
const containers = new Set(['moov', 'trak', 'mdia']);
/** Full boxes that begin with the dates of creation and change (ISO/IEC 14496-12 §8). */
const dated = new Set(['mvhd', 'tkhd', 'mdhd']);

/** Sets all dates to zero: the muxer writes the time of day, which would make equal videos differ. */
function clearDates(bytes: Uint8Array, from = 0, to = bytes.length): void {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let at = from; at + 8 <= to; ) {
		const size = view.getUint32(at);
		const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
		if (containers.has(name)) clearDates(bytes, at + 8, at + size);
		if (dated.has(name)) bytes.fill(0, at + 12, at + (bytes[at + 8] === 1 ? 28 : 20));
		// Size 0 or 1 means a very long box; only media data, which comes last, can be one.
		if (size < 8) return;
		at += size;
	}
}
