import h264 from 'h264-mp4-encoder';
import { createFrame } from './compose.ts';
import type { GroupJob, Source } from './jobs.ts';
import { createPicturePainter } from './picture.ts';
import { createStagePainter, type Painter } from './stage.ts';
import { FRAME_RATE, GROUP_FRAMES } from './timing.ts';

/** 9 is the fastest setting of minih264 that still smooths the borders of blocks. */
const SPEED = 9;
/** Lower is better and larger. Drawn gradients need a finer step than photographs. */
const QUANTIZER = { scene: 20, picture: 27 };

/** Makes the painter of a source, whatever it is. */
export function createPainter(source: Source): Painter {
	return source.kind === 'scene' ? createStagePainter(source) : createPicturePainter(source);
}

/**
 * Draws and encodes one group of pictures and returns it as an MP4 of its own.
 *
 * The encoder is a new one each time, so that the bytes do not depend on which thread did which group before.
 * `after` is called after each frame and may throw to stop.
 */
export async function encodeGroup(job: GroupJob, after: () => void): Promise<Uint8Array> {
	const { source, start, count } = job;
	const paint = createPainter(source);
	const frame = createFrame(source.width, source.height);
	const encoder = await h264.createH264MP4Encoder();
	try {
		encoder.width = source.width;
		encoder.height = source.height;
		encoder.frameRate = FRAME_RATE;
		encoder.groupOfPictures = GROUP_FRAMES;
		encoder.quantizationParameter = QUANTIZER[source.kind];
		encoder.speed = SPEED;
		encoder.initialize();
		try {
			for (let i = 0; i < count; i++) {
				paint(start + i, frame);
				encoder.addFrameYuv(frame.buffer);
				after();
			}
		} finally {
			// Also for a job that is given up: an encoder that is deleted before this complains on stderr.
			encoder.finalize();
		}
		return encoder.FS.readFile(encoder.outputFilename, { encoding: 'binary' });
	} finally {
		// All encoders of a thread share one file system in memory.
		encoder.delete();
		if (encoder.FS.readdir('/').includes('output.mp4')) encoder.FS.unlink('output.mp4');
	}
}
