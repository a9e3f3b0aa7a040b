import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { s3Errors } from '@plinth/s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../cli/src/doctor/finding.ts';
import { plinth, root } from '../../support/cli.ts';
import { plinthHere } from '../../support/command.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { newBucket, type Place } from './support.ts';

let swift: SwiftServer;
let place: Place;
let cwd: string;

beforeAll(async () => {
	swift = await ownSwift();
	place = await newBucket(swift);
	cwd = await temporaryDir('s3-boot');
	await mkdir(join(cwd, 'temp'));
}, 60_000);

afterAll(async () => {
	await swift?.remove();
	await removeDir(cwd);
});

type Options = Partial<Place> & { readonly region?: string };

/** The environment of a command whose blobs are in the bucket, with some options replaced by wrong ones. */
async function surroundings(options: Options): Promise<Record<string, string>> {
	const config = join(cwd, 'plinth.config.json');
	const blobs = { use: '@plinth/s3#s3Blobs', with: { ...place, ...options } };
	await writeFile(config, JSON.stringify({ extends: 'plinth:embedded', backends: { blobs } }));
	return { PORT: '0', TMPDIR: join(cwd, 'temp'), PLINTH_CONFIG: config, PLINTH_DATA_DIR: join(cwd, 'data') };
}

const here = async (command: readonly string[], options: Options) =>
	plinthHere(command, { cwd, env: await surroundings(options) });

/** A pattern of one problem, with server, bucket and remedy. */
function reportOf(code: keyof typeof s3Errors): RegExp {
	const remedy = (s3Errors[code].remedy ?? '').replace(/[.*/:()]/g, '\\$&');
	return new RegExp(
		`one problem in [^]*backend blobs: [^]*https?://127\\.0\\.0\\.1:\\d+, bucket "[^]* remedy +${remedy}`,
	);
}

const mistakes: readonly (readonly [string, keyof typeof s3Errors, () => Options])[] = [
	['a missing bucket', 'E_S3_BUCKET', () => ({ bucket: 'nobody-made-it' })],
	['a wrong secret', 'E_S3_LOGIN', () => ({ secretAccessKey: 'canary-secret' })],
	['a wrong key', 'E_S3_LOGIN', () => ({ accessKeyId: 'test:nobody' })],
	['a wrong region', 'E_S3_REGION', () => ({ region: 'eu-central-1' })],
	['a key without the right to list', 'E_S3_RIGHTS', () => ({ accessKeyId: swift.strangerId })],
	['https:// before a server without TLS', 'E_S3_TLS', () => ({ endpoint: place.endpoint.replace('http:', 'https:') })],
	['a port without a listener', 'E_S3_ADDRESS', () => ({ endpoint: 'http://127.0.0.1:9' })],
];

describe.each(mistakes)('%s is one problem with its remedy', (_name, code, options) => {
	test.each(['serve', 'check'])('by plinth %s', async (command) => {
		const { code: exit, stdout, stderr } = await here([command], options());
		expect([exit, stdout]).toEqual([1, '']);
		expect(stderr).toMatch(reportOf(code));
		expect(stderr).not.toContain('canary');
	});

	test('by plinth doctor', async () => {
		const { code: exit, stdout } = await here(['doctor', '--json'], options());
		const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
		expect([exit, findings.filter(({ status }) => status === 'problem')]).toMatchObject([
			1,
			[{ check: 'composition', text: expect.stringMatching(reportOf(code)) }],
		]);
		expect(stdout).not.toContain('canary');
	});
});

test.each(['serve', 'check', 'doctor'])(
	'a clock that is wrong by an hour is one problem in plinth %s',
	async (command) => {
		const shifted = `--import=${join(root, 'test/support/shifted-clock.ts')}`;
		const env = { ...(await surroundings({})), NODE_OPTIONS: shifted, TEST_CLOCK_SHIFT_MS: '3600000' };
		const { code, stdout, stderr } = await plinth([command], { cwd, env }).exit;
		expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(reportOf('E_S3_CLOCK'))]);
		expect(stdout + stderr).toMatch(/differ by 60 minutes/);
	},
);

describe('http:// to another host', () => {
	// For the system this address is the local machine; for the check it is any host.
	const remote = () => ({ endpoint: place.endpoint.replace('127.0.0.1', '0.0.0.0') });
	const remedy = /Use https:\/\//;

	test('is a warning of plinth check, and of plinth doctor', async () => {
		const checked = await here(['check'], remote());
		expect([checked.code, checked.stderr]).toEqual([0, '']);
		expect(checked.stdout).toMatch(/warning: S3 is used without encryption, address http:\/\/0\.0\.0\.0:\d+\nremedy: /);
		const { code, stdout } = await here(['doctor', '--json'], remote());
		const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
		expect([code, findings.filter(({ text }) => text.includes('without encryption'))]).toMatchObject([
			0,
			[{ check: 'composition', status: 'warning', remedy: expect.stringMatching(remedy) }],
		]);
	});

	test('is a warning in the log of plinth serve', async () => {
		const child = plinth(['serve'], { cwd, env: await surroundings(remote()) });
		await child.printed(/serving/);
		child.signal('SIGTERM');
		const { stderr } = await child.exit;
		const lines = stderr.split('\n').filter((line) => line.includes('without encryption'));
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, remedy: expect.stringMatching(remedy) }]);
	});

	test('is absent for this host', async () => {
		expect((await here(['check'], {})).stdout).not.toContain('warning');
	});
});
