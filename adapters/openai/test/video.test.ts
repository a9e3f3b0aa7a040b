import { eventually } from '@plinth/testing';
import { expect, test } from 'vitest';
import { type Cell, cellsOf } from './features.ts';
import { hangUp, json, silent } from './upstream.ts';
import { attempt, createVideoModel, mp4, record, requestLines } from './videos.ts';

const picture = Buffer.from('\x89PNG\r\n\x1a\n a picture', 'latin1');
const reference = { mediaType: 'image/png', size: picture.length, bytes: async () => picture };

/** Checks the support for a feature. */
type Probe = (dialect: string) => Promise<Cell>;

async function createVideo(dialect: string, changes = {}) {
	const started = await createVideoModel({}, { dialect });
	if (dialect === 'localai') {
		started.state.create = json({ data: [{ b64_json: mp4.toString('base64') }] });
	}
	const work = attempt(started.model, changes);
	expect(await work.bytes()).toEqual(mp4);
	const [request] = started.upstream.requests;
	const field = (name: string) => request?.json[name] ?? request?.form.get(name);
	return { ...started, work, request, field };
}

const probes: Readonly<Record<string, Probe>> = {
	async '`prompt`, `seconds`, `size`'(dialect) {
		const { request, field } = await createVideo(dialect);
		const isRoot = dialect === 'localai';
		expect(`${request?.method} ${request?.path}`).toBe(isRoot ? 'POST /video' : 'POST /v1/videos');
		expect([field('prompt'), field('size'), field('model')]).toEqual(['a cat', '720x1280', 'bound-id']);
		// Each dialect has its own format and type.
		expect(Boolean(request?.json.prompt)).toBe(dialect === 'sglang' || isRoot);
		expect(field('seconds')).toBe(dialect === 'sglang' ? 4 : '4');
		if (isRoot) expect(request?.json).toMatchObject({ width: 720, height: 1280, num_frames: 96, fps: 24 });
		return 'yes';
	},
	async '`input_reference`'(dialect) {
		const { request, field } = await createVideo(dialect, { reference });
		if (dialect === 'localai') {
			expect(field('start_image')).toBe(picture.toString('base64'));
			return 'yes';
		}
		const file = request?.form.get('input_reference') as File;
		expect([file.name, file.type]).toEqual(['reference.png', 'image/png']);
		expect(Buffer.from(await file.arrayBuffer())).toEqual(picture);
		return 'yes';
	},
	async 'equal requests get equal videos'(dialect) {
		const { field } = await createVideo(dialect);
		const seed = field('seed');
		if (seed === null || seed === undefined) return 'no';
		expect(`${seed}`).toBe(dialect === 'localai' ? '2147483647' : '4294967295');
		return 'yes';
	},
	async progress(dialect) {
		const working = [0, 1, 40].map((progress) => record('in_progress', { progress }));
		const { model, state } = await createVideoModel({ poll: [...working, record('completed')] }, { dialect });
		if (dialect === 'localai') state.create = json({ data: [{ b64_json: mp4.toString('base64') }] });
		const work = attempt(model);
		await work.result;
		if (work.progress.length === 0) return 'no';
		expect(work.progress).toEqual([0, 0.01, 0.4]);
		return 'yes';
	},
	async 'deletion stops the work'(dialect) {
		const { model, state, upstream } = await createVideoModel({ poll: [record('queued')] }, { dialect });
		if (dialect === 'localai') {
			state.create = silent;
			const work = attempt(model);
			await eventually('the server works', () => upstream.requests.length === 1);
			work.stop.abort(new Error('deleted'));
			await eventually('the connection is closed', () => upstream.aborted.count === 1);
			expect(model.cancel).toBeUndefined();
			return 'here';
		}
		await model.cancel?.('up_1');
		expect(requestLines(upstream)).toEqual(['DELETE /v1/videos/up_1']);
		return 'yes';
	},
	async 'work continues after a restart of Plinth'(dialect) {
		const { model, state, upstream } = await createVideoModel({}, { dialect });
		if (dialect === 'localai') {
			state.create = json({ data: [{ b64_json: mp4.toString('base64') }] });
			const work = attempt(model);
			await work.result;
			return work.checkpoints.length === 0 ? 'no' : 'yes';
		}
		const first = attempt(model);
		await first.result;
		expect(first.checkpoints).toEqual(['up_1']);
		const before = upstream.requests.length;
		const second = attempt(model, {}, { resume: first.checkpoints[0] as string });
		expect(await second.bytes()).toEqual(mp4);
		expect(requestLines(upstream).slice(before)).toEqual(['GET /v1/videos/up_1', 'GET /v1/videos/up_1/content']);
		return 'yes';
	},
};

test.each(cellsOf('video'))('%s with %s: %s', async (feature, dialect, expected) => {
	expect(await probes[feature]?.(dialect)).toBe(expected);
});

test('a video that is finished immediately is downloaded from its URL', async () => {
	const { model, state, upstream } = await createVideoModel({}, { dialect: 'localai', body: { fps: 16 } });
	state.create = json({ data: [{ url: `${upstream.baseURL}/x/content` }] });
	expect(await attempt(model).bytes()).toEqual(mp4);
	expect(upstream.requests[0]?.json).toMatchObject({ fps: 16, num_frames: 64, response_format: 'url' });
});

test.each([
	['a lost connection', hangUp, 'E_MODEL_UNAVAILABLE'],
	['a gateway that lost maxUnknown', json({}, 504), 'E_MODEL_TIMEOUT'],
	['another one', json({}, 524), 'E_MODEL_TIMEOUT'],
	['a server that lost maxUnknown', json({}, 408), 'E_MODEL_TIMEOUT'],
	['a gateway that understood nothing', json({}, 520), 'E_MODEL_UNAVAILABLE'],
	['a gateway that lost the server', json({}, 502), 'E_MODEL_UNAVAILABLE'],
] as const)('a video that may have been started is not requested again: %s', async (_, create, code) => {
	const { model, upstream } = await createVideoModel({ create });
	await expect(attempt(model).result).rejects.toMatchObject({ code });
	expect(requestLines(upstream)).toEqual(['POST /v1/videos']);
	const local = await createVideoModel({ create }, { dialect: 'localai' });
	await expect(attempt(local.model).result).rejects.toMatchObject({ code });
	expect(requestLines(local.upstream)).toEqual(['POST /video']);
});
