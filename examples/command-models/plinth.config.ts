import { join } from 'node:path';
import { command } from '@plinth/command';
import { defineConfig } from '@plinth/core';

const font = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const look = `fontfile=${font}:fontsize=h/20:fontcolor=white:box=1:boxcolor=black:boxborderw=16:x=(w-text_w)/2:y=h-text_h-32`;

/** Three programs beside the built-in models. Start it here: npm start -w examples/command-models */
export default defineConfig({
	extends: 'plinth:embedded',
	models: {
		// apt install espeak-ng: a hundred languages. The voice names of OpenAI are mapped to some of them.
		espeak: command.speech({
			protocol: 'plain',
			argv: ['espeak-ng', '--stdout', '-v', '{voice}', '-s', '{speed}', '-f', '{input}'],
			tempo: 175,
			voices: { alloy: 'en-us', fable: 'en-gb', onyx: 'de', nova: 'fr-fr' },
			voicesFrom: { argv: ['espeak-ng', '--voices'], pattern: '^\\s*\\d+\\s+(\\S+)' },
		}),
		// apt install ffmpeg fonts-dejavu-core: a test card with the prompt on it.
		'test-card': command.video({
			protocol: 'plain',
			argv: [
				...['ffmpeg', '-nostdin', '-v', 'error', '-progress', 'pipe:2', '-f', 'lavfi'],
				...['-i', 'testsrc2=size={width}x{height}:rate=24:duration={seconds}'],
				// ffmpeg reads the prompt from a file without expansion, so it cannot become a part of the filter.
				...['-vf', `drawtext=textfile={input}:expansion=none:${look}`],
				...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
				...['-movflags', '+faststart', '-y', '{output}'],
			],
			progress: { pattern: 'out_time_us=(\\d+)', total: '{seconds}000000' },
		}),
		// Fifteen lines of Python without packages: paint.py.
		painter: command.image({
			protocol: 'json',
			argv: ['python3', join(import.meta.dirname, 'paint.py')],
			concurrency: 2,
		}),
	},
});
