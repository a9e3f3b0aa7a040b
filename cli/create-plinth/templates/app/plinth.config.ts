import { defineConfig } from '@plinth/core';
import { video } from '@plinth/plugin-video';

// Check this file: npm run check. Every text may hold ${NAME} or ${NAME:-default}.
export default defineConfig({
	// The composition that runs offline. The keys below replace its parts; false removes a part.
	extends: 'plinth:embedded',
	models: {
		// A model of an OpenAI-compatible server: npm install @plinth/openai
		// 'my-image': openai.image({ baseURL: 'http://127.0.0.1:8000/v1' }),
	},
	plugins: {
		// Finished videos are stored for two hours. The default is 24 hours.
		video: video({ retentionHours: 2 }),
	},
});
