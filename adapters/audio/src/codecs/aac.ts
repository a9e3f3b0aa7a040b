import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { AdtsOutputFormat } from 'mediabunny';
import type { Settings } from '../messages.ts';
import type { Codec } from './codec.ts';
import { MuxedCodec } from './muxed.ts';

registerAacEncoder();

/** AAC-LC by FFmpeg's encoder, in ADTS frames. */
export function openAac({ sampleRate, kbps }: Settings): Promise<Codec> {
	const format = new AdtsOutputFormat();
	return MuxedCodec.open(format, { codec: 'aac', bitrate: kbps * 1_000 }, sampleRate);
}
