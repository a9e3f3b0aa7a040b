import type { VideoModel } from '@plinth/plugin-video/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, shell, video, videoRun } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
	harness = await createHarness();
});

afterAll(() => harness.remove());

function plain(script: string, args: readonly (string | string[])[] = [], more: object = {}) {
	const argv = [...shell(script), ...args];
	return harness.make(command.video, { protocol: 'plain', argv, ...more });
}

async function text(model: VideoModel, request = video, run = videoRun()): Promise<string> {
	const { body, mediaType } = await model.generate(request, run);
	expect(mediaType).toBe('video/mp4');
	return Buffer.from(body as Uint8Array).toString();
}

const reference = {
	mediaType: 'image/png',
	size: 3,
	bytes: async () => new Uint8Array([1, 2, 3]),
};

describe('a plain program', () => {
	test('gets the prompt on stdin, and its stdout is the result', async () => {
		expect(await text(await plain('cat'))).toBe('A lighthouse');
	});

	test('gets the prompt in a file when it has a placeholder for one, and writes its result to one', async () => {
		const model = await plain('wc -c; cat "$1" > "$2"', ['{input}', '{output}']);
		expect(await text(model)).toBe('A lighthouse');
	});

	test('gets numbers in its arguments, and no text of a client', async () => {
		const args = ['{width}', '{height}', '{seconds}', '{seed}', '{input}', '{output}'];
		const model = await plain('printf "%s|" "$@" | tee "$6"', args);
		for (const prompt of ['A lighthouse', '--help', '-y; $(touch /tmp/x) `id` "\n\0{seed}']) {
			expect(await text(model, { ...video, prompt })).toBe('640|480|4|7|input.txt|output.mp4|');
		}
	});

	test('reports progress on stderr, in lines that end with \\n or \\r', async () => {
		const script = `printf 'frame=12 of 48\\rframe=24 of 48\\nnothing\\nframe=99 of 48\\n' >&2; echo x`;
		const progress = { pattern: 'frame=(\\d+) of (\\d+)' };
		const seen: number[] = [];
		const run = videoRun({ progress: (fraction) => seen.push(fraction) });
		await text(await plain(script, [], { progress }), video, run);
		expect(seen).toEqual([0.25, 0.5, 1]);
	});

	test('can use a value of the request as the total of its progress', async () => {
		const progress = { pattern: '^t=(\\d+)', total: '{seconds}000' };
		const seen: number[] = [];
		const run = videoRun({ progress: (fraction) => seen.push(fraction) });
		await text(await plain('echo t=1000 >&2; echo x', [], { progress }), video, run);
		expect(seen).toEqual([0.25]);
	});

	test('gets the reference picture in a group, which is omitted without one', async () => {
		const model = await plain('echo $#; test $# = 0 || od -An -tx1 "$1"', [['{reference}']]);
		expect(await text(model)).toBe('0\n');
		expect(await text(model, { ...video, reference })).toBe('1\n 01 02 03\n');
	});

	test('rejects a picture without a placeholder for it, and a request without a required picture', async () => {
		const without = await plain('cat');
		await expect(without.generate({ ...video, reference }, videoRun())).rejects.toMatchObject({
			code: 'E_VALUE_UNSUPPORTED',
			param: 'input_reference',
		});
		const needing = await plain('cat', ['{reference}']);
		await expect(needing.generate(video, videoRun())).rejects.toMatchObject({
			code: 'E_VALUE_MISSING',
			param: 'input_reference',
		});
	});

	test('gets only the configured environment, and runs in a private folder', async () => {
		process.env.PLINTH_TEST_SECRET = 'hidden';
		try {
			const env = { MODEL_DIR: '/srv/model' };
			const model = await plain('env | sort; pwd; stat -c %a .; ls -A', [], { env });
			const output = await text(model);
			const [, folder] = /^HOME=(.*)$/m.exec(output) ?? [];
			expect(folder).toMatch(`${harness.dir}/plinth-`);
			const names = [...output.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
			const shellsOwn = ['OLDPWD', 'PWD', 'SHLVL', '_'];
			expect(names.filter((name) => !shellsOwn.includes(name ?? ''))).toEqual(
				['HOME', 'LANG', 'MODEL_DIR', 'PATH', 'PLINTH_RUN', 'TMPDIR'].sort(),
			);
			expect(output.trim().split('\n').slice(-2)).toEqual([folder, '700']);
		} finally {
			delete process.env.PLINTH_TEST_SECRET;
		}
	});
});

describe('a program of the JSON protocol', () => {
	const printLines = (...messages: object[]) =>
		messages.map((message) => `echo '${JSON.stringify(message)}'`).join('; ');

	function json(script: string): Promise<VideoModel> {
		return harness.make(command.video, { protocol: 'json', argv: shell(script) });
	}

	test('gets the request as one line', async () => {
		const model = await json(`cat > asked; ${printLines({ type: 'result', file: 'asked' })}`);
		const request = { ...video, prompt: 'Zeile 1\nZeile 2 ✓', reference, remixOf: { prompt: 'x' } };
		const asked = await text(model, request);
		expect(asked.indexOf('\n')).toBe(asked.length - 1);
		expect(JSON.parse(asked)).toEqual({
			version: 1,
			kind: 'video',
			folder: expect.stringContaining(harness.dir),
			prompt: 'Zeile 1\nZeile 2 ✓',
			seconds: 4,
			size: { width: 640, height: 480 },
			seed: 7,
			reference: 'reference.png',
			remixOf: { prompt: 'x' },
		});
	});

	test('reports progress and warnings, and makes a poster', async () => {
		const steps = printLines(
			{ type: 'progress', value: 0.5 },
			{ type: 'warning', message: 'Shorter than asked for.' },
			{ type: 'result', file: 'v', poster: 'p', more: 'is ignored' },
		);
		const model = await json(`echo v > v; printf '\\211PNG\\r\\n\\032\\n' > p; ${steps}; echo bye`);
		const seen: number[] = [];
		const made = await model.generate(video, videoRun({ progress: (at) => seen.push(at) }));
		expect(seen).toEqual([0.5]);
		expect(made.warnings).toEqual(['Shorter than asked for.']);
		expect(made.poster?.body).toHaveLength(8);
	});

	test('may omit the last line feed and print blank lines', async () => {
		const model = await json(`echo x > v; echo; printf '{"type":"result","file":"v"}'`);
		expect(await text(model)).toBe('x\n');
	});
});
