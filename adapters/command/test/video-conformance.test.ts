import type { VideoModel } from '@plinth/plugin-video/model';
import { smallMp4, videoModelSuite } from '@plinth/plugin-video/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { command } from '../src/index.ts';
import { type Bench, createBench, shell } from './harness.ts';

const size = { width: 640, height: 480 };
const film = smallMp4(size).toString('base64');

/** A camera: its film ends with the seed, and with the picture to start from. */
const camera = `
asked=$(cat)
seed=\${asked##*'"seed":'}
echo '{"type":"progress","value":0.5}'
{ echo ${film} | base64 -d; echo "\${seed%%[!0-9]*}"; cat reference.png 2>&-; } > film
echo '{"type":"progress","value":1}'
echo '{"type":"result","file":"film"}'
`;

let bench: Bench;
/** It keeps nothing between its videos. */
let sharedModel: Promise<VideoModel>;

beforeAll(async () => {
	bench = await createBench();
	sharedModel = bench.make(command.video, { protocol: 'json', argv: shell(camera) });
});

afterAll(() => bench.remove());

describe('a program of the JSON protocol keeps the contract of video models', () => {
	for (const { name, run } of videoModelSuite({
		create: async () => ({ model: await sharedModel, close: () => bench.clean() }),
		supports: { deterministic: true, progress: true, reference: true },
		request: { size },
	})) {
		test(name, run, 60_000);
	}
});
