import type { VideoModel } from '@plinth/plugin-video/model';
import { smallMp4, videoModelSuite } from '@plinth/plugin-video/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, shell } from './harness.ts';

const size = { width: 640, height: 480 };
const mp4 = smallMp4(size).toString('base64');

/** A scripted program: its video ends with the seed and the reference picture. */
const scriptedProgram = `
asked=$(cat)
seed=\${asked##*'"seed":'}
echo '{"type":"progress","value":0.5}'
{ echo ${mp4} | base64 -d; echo "\${seed%%[!0-9]*}"; cat reference.png 2>&-; } > film
echo '{"type":"progress","value":1}'
echo '{"type":"result","file":"film"}'
`;

let harness: Harness;
/** The model has no state between requests. */
let sharedModel: Promise<VideoModel>;

beforeAll(async () => {
	harness = await createHarness();
	sharedModel = harness.make(command.video, { protocol: 'json', argv: shell(scriptedProgram) });
});

afterAll(() => harness.remove());

describe('a program of the JSON protocol conforms as a video model:', () => {
	for (const { name, run } of videoModelSuite({
		create: async () => ({ model: await sharedModel, close: () => harness.clean() }),
		supports: { deterministic: true, progress: true, reference: true },
		request: { size },
	})) {
		test(name, run, 60_000);
	}
});
