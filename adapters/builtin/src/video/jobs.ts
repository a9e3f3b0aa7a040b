import type { ScenePlan } from '../scene/plan.ts';
import type { Picture, PicturePath } from './picture.ts';
import type { Fade, Stage } from './stage.ts';

/** Everything that frames are drawn from: a scene, or a picture under a moving camera. */
export type Source = Stage | Picture;

/** Rasterise a planned scene. */
export interface StageJob {
	readonly kind: 'stage';
	readonly plan: ScenePlan;
	readonly prompt: string;
	readonly width: number;
	readonly height: number;
	readonly frames: number;
}

/** Prepare decoded pixels for the moving camera. */
export interface PictureJob {
	readonly kind: 'picture';
	/** RGBA, larger than the frame by the camera's greatest zoom. */
	readonly image: { readonly width: number; readonly height: number; readonly data: Uint8Array };
	readonly width: number;
	readonly height: number;
	readonly frames: number;
	readonly path: PicturePath;
	readonly fade: Fade;
	/** Words to write on the picture. */
	readonly caption?: string;
}

/** Draw and encode one group of pictures. */
export interface GroupJob {
	readonly kind: 'group';
	readonly source: Source;
	/** The first frame, and how many. */
	readonly start: number;
	readonly count: number;
}

/** Draw one frame as a still. */
export interface StillJob {
	readonly kind: 'still';
	readonly source: Source;
	readonly frame: number;
}

/** A source that is ready to be drawn, and what its title lacks. */
export interface Prepared {
	readonly source: Source;
	readonly shortened: boolean;
	readonly incomplete: boolean;
}

/** What a worker can do. */
export interface VideoJobs {
	stage(job: StageJob): Prepared;
	picture(job: PictureJob): Prepared;
	/** Answers with an MP4 of this group alone; reports how many frames are done since the last report. */
	group(job: GroupJob, report: number): Uint8Array;
	/** RGBA. */
	still(job: StillJob): Uint8Array;
}
