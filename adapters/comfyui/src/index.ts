import { comfyuiImage } from './image.ts';
import { comfyuiVideo } from './video.ts';

/** Workflows of ComfyUI as models: a workflow in API format and declared bindings. */
export const comfyui = {
	image: comfyuiImage,
	video: comfyuiVideo,
};

export type { Place } from './options.ts';
