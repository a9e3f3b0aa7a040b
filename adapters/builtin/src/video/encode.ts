import h264 from 'h264-mp4-encoder';
import { convertFrame, type Film, frameRate, paintFrame } from './frames.ts';

/** 9 is the fastest setting of minih264 that still smooths the borders of blocks. */
const speed = 9;
/** Lower is better and larger. */
const quantizationParameter = 23;

/**
 * Paints and encodes `count` frames from `start` on. Returns an MP4 of them. Each group has an encoder of its own, so
 * that the bytes do not depend on what a thread did before.
 */
export async function encodeGroup(film: Film, start: number, count: number, onFrame: () => void): Promise<Uint8Array> {
	const { width, height } = film;
	const pixels = new Int32Array(width * height);
	const planes = new Uint8Array((width * height * 3) / 2);
	const encoder = await h264.createH264MP4Encoder();
	try {
		Object.assign(encoder, { width, height, frameRate, speed, groupOfPictures: count, quantizationParameter });
		encoder.initialize();
		for (let index = start; index < start + count; index++) {
			paintFrame(film, index, pixels);
			convertFrame(film, index, pixels, planes);
			encoder.addFrameYuv(planes);
			onFrame();
		}
		encoder.finalize();
		return encoder.FS.readFile(encoder.outputFilename, { encoding: 'binary' });
	} finally {
		encoder.delete();
		// All encoders of a thread share one file system in memory.
		if (encoder.FS.readdir('/').includes('output.mp4')) encoder.FS.unlink('output.mp4');
	}
}
