// Checks whether the time of a refusal depends on how close a guess was. Prints Welch's t of guesses with a wrong
// first character against guesses with a wrong last character, and the cost of a check.
//   npx node --conditions=@plinth/source bench/auth-timing.ts
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type App, createApp, services } from '@plinth/core';
import { keyRing } from '@plinth/keys';
import { silentLogger } from '@plinth/testing';
import { embedded } from 'plinth';

/** Beyond this |t| the two kinds of guesses can be distinguished (the usual bound of leakage tests). */
const bound = 4.5;

type Check = (key: string) => Promise<unknown>;

const dataDir = await mkdtemp(join(tmpdir(), 'plinth-auth-timing-'));
try {
	const configured = Array.from({ length: 1_000 }, () => randomBytes(30).toString('base64url'));
	const some = configured.slice(0, 200);
	const app = await boot(some);
	try {
		await timing(app, some);
	} finally {
		await app.stop();
	}
	await cost(configured.slice(0, 1));
	await cost(configured);
} finally {
	await rm(dataDir, { recursive: true, force: true });
}

function boot(keys: readonly string[]): Promise<App> {
	return createApp(
		{ extends: embedded, server: { authFailuresPerMinute: 0 }, role: 'api' },
		{
			env: { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: keys.join(',') },
			log: silentLogger(),
		},
	);
}

/** Prints what one check costs, in microseconds. */
async function cost(keys: readonly string[]): Promise<void> {
	const app = await boot(keys);
	const { authenticate } = app.service(services.authenticator);
	const { key: issued } = await app.service(keyRing).issue({ tenant: 'bench', scopes: ['*'] });
	const rows: [string, string][] = [
		['a configured key', keys.at(-1) ?? ''],
		['an issued key (SQLite)', issued],
		['a guess', 'guess'],
		['a guess with a checksum', wrongAt(issued, 0)],
	];
	for (const [name, key] of rows) {
		for (let index = 0; index < 2_000; index++) await authenticate(key);
		const rounds = 20_000;
		const startedAt = performance.now();
		for (let index = 0; index < rounds; index++) await authenticate(key);
		const micros = ((performance.now() - startedAt) * 1_000) / rounds;
		console.log(`${keys.length} configured, ${name.padEnd(24)} ${micros.toFixed(1)} µs`);
	}
	await app.stop();
}

/**
 * Each key gets few guesses. The place of a lookup depends on the digest of the guess, so repeating two guesses would
 * compare two digests and not two kinds of guesses.
 */
async function timing(app: App, configured: readonly string[]): Promise<void> {
	const ring = app.service(keyRing);
	const making = Array.from({ length: 5_000 }, () => ring.issue({ tenant: 'bench', scopes: ['*'] }));
	const issued = (await Promise.all(making)).map(({ key }) => key);
	const { authenticate } = app.service(services.authenticator);
	const { url } = await app.listen({ host: '127.0.0.1', port: 0 });
	const doors: [string, Check, number][] = [
		['in process', authenticate, 20_000],
		['over HTTP', overHttp(url), 4_000],
	];
	for (const [door, check, samples] of doors) {
		for (const [name, keys] of Object.entries({ configured, issued })) {
			const t = await welch(check, keys, samples);
			const verdict = Math.abs(t) < bound ? 'not told apart' : 'TOLD APART';
			console.log(`${door}, ${name}, 2 x ${samples} samples: t = ${t.toFixed(2)} (${verdict}, bound ${bound})`);
		}
	}
}

/** A key with one character changed. An issued key gets a new checksum, because without it no lookup would happen. */
function wrongAt(key: string, place: 0 | -1): string {
	const [, prefix = '', body = '', checksum] = /^(plinth_live_)?(.*?)([0-9a-f]{8})?$/.exec(key) ?? [];
	const isIssued = prefix !== '';
	const text = isIssued ? body : key;
	const other = text.at(place) === 'x' ? 'y' : 'x';
	const changed = place === 0 ? `${other}${text.slice(1)}` : `${text.slice(0, -1)}${other}`;
	if (!isIssued || checksum === undefined) return changed;
	return `${prefix}${changed}${crc32(prefix + changed)
		.toString(16)
		.padStart(8, '0')}`;
}

function overHttp(url: string): Check {
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	return (key) =>
		new Promise((resolve, reject) => {
			const sent = request(`${url}/v1/models`, { agent, headers: { 'x-api-key': key } });
			sent.on('response', (answer) => answer.resume().on('end', resolve));
			sent.on('error', reject);
			sent.end();
		});
}

/** Welch's t, with the kinds in random order. The slowest twentieth is left out: it measures the machine. */
async function welch(check: Check, keys: readonly string[], samples: number): Promise<number> {
	const guesses = Array.from({ length: samples }, (_, index) => keys[index % keys.length] ?? '')
		.flatMap((key) => [
			{ kind: 'first' as const, guess: wrongAt(key, 0), at: Math.random() },
			{ kind: 'last' as const, guess: wrongAt(key, -1), at: Math.random() },
		])
		.sort((a, b) => a.at - b.at);
	for (const { guess } of guesses.slice(0, 500)) await check(guess);
	const times = { first: [] as number[], last: [] as number[] };
	for (const { kind, guess } of guesses) {
		const startedAt = process.hrtime.bigint();
		await check(guess);
		times[kind].push(Number(process.hrtime.bigint() - startedAt));
	}
	const [a, b] = trim(times.first, times.last).map(moments) as [Moments, Moments];
	return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
}

/** Removes from both kinds the times above the 95th percentile of all times. */
function trim(...kinds: readonly (readonly number[])[]): readonly (readonly number[])[] {
	const all = kinds.flat().sort((x, y) => x - y);
	const limit = all[Math.floor(all.length * 0.95)] ?? Number.POSITIVE_INFINITY;
	return kinds.map((times) => times.filter((time) => time <= limit));
}

interface Moments {
	readonly count: number;
	readonly mean: number;
	readonly variance: number;
}

function moments(times: readonly number[]): Moments {
	const count = times.length;
	const mean = times.reduce((sum, time) => sum + time, 0) / count;
	const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (count - 1);
	return { count, mean, variance };
}
