import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlinthError } from '@plinth/core';
import type { VideoModel } from '@plinth/plugin-video/model';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, shell, video, videoRun } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
	harness = await createHarness();
});

// Rejects when a process or a folder is left over.
afterEach(() => harness.clean());

afterAll(() => harness.remove());

function speaking(script: string, options: object = {}): Promise<VideoModel> {
	return harness.make(command.video, { protocol: 'json', argv: shell(script), ...options });
}

function printing(script: string, options: object = {}): Promise<VideoModel> {
	const argv = [...shell(script), '{output}'];
	return harness.make(command.video, { protocol: 'plain', argv, ...options });
}

async function failure(model: VideoModel): Promise<PlinthError> {
	try {
		await model.generate(video, videoRun());
	} catch (error) {
		return error as PlinthError;
	}
	throw new Error('The model did not fail.');
}

const result = (file: string) => `echo '{"type":"result","file":"${file}"}'`;

/** The script of a program of the JSON protocol, and a part of the error message. */
const broken: [string, string, string, object?][] = [
	['ends with an exit code', 'exit 3', 'ended with exit code 3'],
	['crashes', 'kill -SEGV $$', 'was ended by SIGSEGV'],
	['prints nothing', 'true', 'ended without a result'],
	['fails after its result', `echo x > a; ${result('a')}; exit 4`, 'ended with exit code 4'],
	['prints words', 'echo Loading the model', 'printed a line that is not a message'],
	['prints bytes that are not UTF-8', `printf '\\377\\n'`, 'printed a line that is not a message'],
	['stops in the middle of a line', `printf '{"type":"res'`, 'printed a line that is not a message'],
	['prints an unknown message type', `echo '{"type":"done"}'`, 'printed a line that is not a message'],
	['prints null', 'echo null', 'printed a line that is not a message'],
	['prints an endless line', `yes | tr -d '\\n'`, 'printed a line of more than 4096 bytes', { maxLineBytes: 4_096 }],
	[
		'floods stdout',
		`yes '{"type":"progress","value":0.5}'`,
		'printed more than 100000 bytes',
		{ maxOutputBytes: 100_000 },
	],
	['floods stderr', 'yes >&2', 'printed more than 100000 bytes', { maxOutputBytes: 100_000 }],
	['names a file that does not exist', result('nothing'), 'did not create its result file'],
	['names no file', `echo '{"type":"result"}'`, 'named a file outside its folder'],
	['names a file outside its folder', result('/etc/passwd'), 'named a file outside its folder'],
	[
		'names a relative path outside its folder',
		result('../../../../../../../etc/passwd'),
		'named a file outside its folder',
	],
	[
		'makes a link to a file outside its folder',
		`ln -s /etc/passwd a; ${result('a')}`,
		'named a file outside its folder',
	],
	['makes a folder', `mkdir a; ${result('a')}`, 'returned a result that is not a file'],
	['makes a pipe', `mkfifo a; ${result('a')}`, 'returned a result that is not a file'],
	['makes an empty file', `: > a; ${result('a')}`, 'made an empty file'],
	[
		'makes a file that is too large',
		`head -c 1001 /dev/zero > a; ${result('a')}`,
		'made a file of more than 1000 bytes',
		{ maxOutputBytes: 1_000 },
	],
];

describe('a program of the JSON protocol that', () => {
	test.each(broken)('%s fails, and leaves no process or file', async (_, script, deed, options) => {
		const error = await failure(await speaking(script, options));
		expect(error.message).toContain(`The program behind this model ${deed}`);
		expect([error.code, error.spec.status]).toEqual(['E_MODEL_FAILED', 502]);
	});

	test('reports an error is quoted to the client', async () => {
		const model = await speaking(`echo '{"type":"error","message":"The card has no memory left."}'`);
		expect(await failure(model)).toMatchObject({
			code: 'E_MODEL_FAILED',
			message: 'The card has no memory left.',
		});
	});

	test('rejects a value causes a 400 that names the parameter', async () => {
		const said = { type: 'error', code: 'unsupported_value', param: 'size', message: 'Too wide.' };
		const model = await speaking(`echo '${JSON.stringify(said)}'; sleep 60`);
		const { code, param, message } = await failure(model);
		expect([code, param, message]).toEqual(['E_VALUE_UNSUPPORTED', 'size', 'Too wide.']);
	});
});

describe('a plain program that', () => {
	test.each([
		['ends with an exit code', 'echo partly; exit 3', 'ended with exit code 3'],
		['prints nothing', 'true', 'ended without a result'],
		['floods stdout', 'yes', 'printed more than 100000 bytes'],
	])('%s fails, and leaves no process or file', async (_, script, deed) => {
		const options = { protocol: 'plain', argv: shell(script), maxOutputBytes: 100_000 } as const;
		const error = await failure(await harness.make(command.video, options));
		expect(error.message).toContain(`The program behind this model ${deed}`);
	});

	test('does not write its file fails', async () => {
		expect((await failure(await printing('true'))).message).toContain('did not create its result file');
	});

	test('links its file to one outside its folder fails', async () => {
		const model = await printing('ln -s /etc/passwd "$1"');
		expect((await failure(model)).message).toContain('named a file outside its folder');
	});
});

describe('any program', () => {
	test('has the end of its stderr in the log, not in the response', async () => {
		const error = await failure(await speaking('echo the layer 7 is missing >&2; exit 1'));
		expect(error.message).not.toContain('layer');
		expect((error.cause as Error).message).toBe('The end of its stderr: the layer 7 is missing');
	});

	test('is killed when it takes too long', async () => {
		const failed = failure(await speaking('sleep 60 & sleep 60', { timeoutSeconds: 5 }));
		await eventually('it runs', () => harness.processes().length === 3);
		await harness.clock.advance(4_999);
		expect(harness.processes()).toHaveLength(3);
		await harness.clock.advance(1);
		expect((await failed).message).toContain('took more than 5 seconds');
	});

	test('fails with a model error when it was removed after the start', async () => {
		const file = join(harness.dir, 'program');
		await writeFile(file, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
		const model = await harness.make(command.video, { protocol: 'json', argv: [file] });
		await rm(file);
		expect((await failure(model)).message).toContain('could not be started');
	});

	test('may change the permissions of its folder', async () => {
		const model = await speaking('mkdir -p a/b; chmod 0 a/b; chmod 0 a; exit 1');
		expect((await failure(model)).message).toContain('exit code 1');
	});
});
