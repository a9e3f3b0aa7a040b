import { join } from 'node:path';
import { comfyui } from '@plinth/comfyui';
import { defineConfig } from '@plinth/core';

const { COMFY_URL = '' } = process.env;

/** The default composition with a workflow of a scripted ComfyUI, for child processes of tests. */
export default defineConfig({
	extends: 'plinth:embedded',
	jobs: { leaseMs: 1_000, heartbeatMs: 250, progressMs: 50, pollMs: 200, sweepMs: 300 },
	models: {
		wan: comfyui.video({
			baseURL: COMFY_URL,
			workflow: join(import.meta.dirname, '../../adapters/comfyui/test/workflows/wan22-t2v.json'),
			bindings: { prompt: '6.inputs.text', seed: '3.inputs.seed', frames: '40.inputs.length' },
			output: '47',
			fps: 16,
			frameRule: '4n+1',
		}),
	},
});
