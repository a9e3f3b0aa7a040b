import h264 from 'h264-mp4-encoder';
import { frameRate } from './frame-rate.ts';
import { convertFrame, type Film, paintFrame } from './frames.ts';

/** 9 is the fastest setting of minih264 that still smooths the borders of blocks. */
const speed = 9;
/** Lower is better and larger. */
const quantizationParameter = 23;

/** Frames from one key frame to the next. */
export const groupFrames = 48;

/**
 * Paints and encodes all frames. Returns an MP4 of them. Each video has an encoder of its own, so that the bytes do not
 * depend on earlier videos of the thread.
 */
export async function encodeFrames(film: Film, onFrame: () => void): Promise<Uint8Array> {
	const { width, height, frames } = film;
	const pixels = new Int32Array(width * height);
	const planes = new Uint8Array((width * height * 3) / 2);
	const encoder = await h264.createH264MP4Encoder();
	try {
		Object.assign(encoder, { width, height, frameRate, speed, quantizationParameter, groupOfPictures: groupFrames });
		encoder.initialize();
		for (let index = 0; index < frames; index++) {
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
