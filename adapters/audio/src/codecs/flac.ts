import { registerFlacEncoder } from '@mediabunny/flac-encoder';
import { FlacOutputFormat } from 'mediabunny';
import type { Settings } from '../messages.ts';
import type { Codec } from './codec.ts';
import { MuxedCodec } from './muxed.ts';

registerFlacEncoder();

/**
 * FLAC by libFLAC. The header is sent first, so the number of samples and their MD5 are marked as unknown
 * (RFC 9639 §8.2).
 */
export function openFlac({ sampleRate }: Settings): Promise<Codec> {
	const format = new FlacOutputFormat({ appendOnly: true });
	return MuxedCodec.open(format, { codec: 'flac' }, sampleRate);
}
