import { comfyuiImage as image } from './image.ts';
import { comfyuiVideo as video } from './video.ts';

/** Workflows of ComfyUI as models: a workflow in API format and declared bindings. */
export const comfyui = { image, video };
