import { loadFont } from '../scene/font.ts';
import { createRasterizer } from '../scene/raster.ts';
import { serveJobs } from '../serve.ts';
import { createFrame } from './compose.ts';
import { createPainter, encodeGroup } from './encode.ts';
import type { PictureJob, Prepared, StillJob, VideoJobs } from './jobs.ts';
import { createLayer } from './layer.ts';
import { type Picture, pictureFrom } from './picture.ts';
import { buildStage } from './stage.ts';
import { frameToRgba } from './still.ts';
import { layOutTitle, titleBand, titleSize } from './title.ts';

/** Frames between two messages about progress. */
const REPORT_FRAMES = 4;

serveJobs<VideoJobs>({
	stage: async (job, { check }) => {
		const { stage, title } = await buildStage(job, check);
		return { source: stage, shortened: title.shortened, incomplete: title.incomplete };
	},
	picture: preparePicture,
	group: (job, { check, report }) => {
		let done = 0;
		return encodeGroup(job, () => {
			check();
			done++;
			if (done % REPORT_FRAMES === 0 || done === job.count) {
				report(((done - 1) % REPORT_FRAMES) + 1);
			}
		});
	},
	still: drawStill,
});

async function preparePicture(job: PictureJob): Promise<Prepared> {
	const { image, caption, width, height, frames, path, fade } = job;
	const plain = { width, height, frames, path, fade };
	if (caption === undefined) {
		return { source: pictureFrom(image, plain), shortened: false, incomplete: false };
	}
	const font = await loadFont();
	const title = layOutTitle(caption, font, (width * 0.9) / titleSize(width, height));
	const band = titleBand(title, font, { width, height });
	const drawn: Pick<Picture, 'caption'> = band
		? {
				caption: {
					layer: createLayer((await createRasterizer(font))(band.svg), true),
					x: 0,
					y: 0,
				},
			}
		: {};
	const { shortened, incomplete } = title;
	return { source: pictureFrom(image, { ...plain, ...drawn }), shortened, incomplete };
}

function drawStill({ source, frame: index }: StillJob): Uint8Array {
	const frame = createFrame(source.width, source.height);
	createPainter(source)(index, frame);
	return frameToRgba(frame);
}
