import { parentPort } from 'node:worker_threads';
import { createFrame } from './compose.ts';
import { createPainter, encodeGroup } from './encode.ts';
import { loadFont } from './font.ts';
import type {
	Job,
	JobAnswers,
	JobMessage,
	PictureJob,
	Prepared,
	StillJob,
	WorkerMessage,
} from './jobs.ts';
import { createLayer } from './layer.ts';
import { type Picture, pictureFrom } from './picture.ts';
import { createRasterizer } from './raster.ts';
import { buildStage } from './stage.ts';
import { frameToRgba } from './still.ts';
import { layOutTitle, titleBand, titleSize } from './title.ts';

/** Frames between two messages about progress. */
const REPORT_FRAMES = 4;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread only.');

port.on('message', ({ job, stop }: JobMessage) => {
	const check = (): void => {
		if (Atomics.load(stop, 0) !== 0) throw new Error('The job was stopped.');
	};
	run(job, check).then(
		(answer) => send({ kind: 'answer', answer }),
		(error: unknown) => send({ kind: 'failure', error }),
	);
});

function send(message: WorkerMessage): void {
	port?.postMessage(message);
}

async function run(job: Job, check: () => void): Promise<JobAnswers[keyof JobAnswers]> {
	check();
	switch (job.kind) {
		case 'stage': {
			const { stage, title } = await buildStage(job, check);
			return { source: stage, shortened: title.shortened, incomplete: title.incomplete };
		}
		case 'picture':
			return preparePicture(job);
		case 'group': {
			let done = 0;
			return encodeGroup(job, () => {
				check();
				done++;
				if (done % REPORT_FRAMES === 0 || done === job.count) {
					send({ kind: 'frames', count: ((done - 1) % REPORT_FRAMES) + 1 });
				}
			});
		}
		case 'still':
			return drawStill(job);
	}
}

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
