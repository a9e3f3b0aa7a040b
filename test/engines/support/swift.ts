import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../support/free-port.ts';

const kinds = ['account', 'container', 'object'] as const;
const installation = 'It needs apt-get install memcached swift-proxy swift-account swift-container swift-object.';
const secretAccessKey = 'secret-of-the-swift-users';

/** OpenStack Swift from Debian's packages, with its S3 API and signature checks. */
export interface SwiftServer {
	readonly endpoint: string;
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	/** An access key without rights to any bucket, and with the same secret. */
	readonly strangerId: string;
	/** Kills the server, as in a crash. */
	kill(): Promise<void>;
	/** Restarts it on the same port with the stored data. */
	start(): Promise<void>;
	remove(): Promise<void>;
}

/** Starts Swift in a temporary folder, with one replica on one device, as this user. */
export async function ownSwift(): Promise<SwiftServer> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-swift-'));
	await mkdir(join(folder, 'devices/sda'), { recursive: true });
	const cachePort = await freePort();
	const proxyPort = await freePort();
	const ports = [proxyPort, ...(await Promise.all(kinds.map(freePort)))];
	await writeFile(join(folder, 'proxy.conf'), proxyConfig(folder, cachePort));
	for (const kind of kinds) await writeFile(join(folder, `${kind}.conf`), storageConfig(folder, kind));
	const args = [join(import.meta.dirname, 'serve_swift.py'), folder, ...ports.map(String)];
	const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
	const cache = spawn('memcached', ['-l', '127.0.0.1', '-p', String(cachePort), '-m', '16', ...user], {
		stdio: 'ignore',
	});
	const cacheEnded = once(cache, 'exit');
	cacheEnded.catch(() => {});
	let kill = async () => {};
	const start = async () => {
		const child = spawn('/usr/bin/python3', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
		const errors = text(child.stderr);
		const ended = once(child, 'exit');
		kill = async () => {
			child.kill('SIGKILL');
			await ended;
		};
		const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
		if (!isReady) throw new Error(`Swift ended. ${installation}\n${await errors}`);
	};
	const stop = async () => {
		await kill();
		cache.kill('SIGKILL');
		await cacheEnded;
		await rm(folder, { recursive: true, force: true });
	};
	try {
		await start();
	} catch (error) {
		await stop();
		throw error;
	}
	return {
		endpoint: `http://127.0.0.1:${proxyPort}`,
		accessKeyId: 'test:tester',
		secretAccessKey,
		strangerId: 'test:stranger',
		kill: () => kill(),
		start,
		remove: stop,
	};
}

function storageConfig(folder: string, kind: string): string {
	return `
[DEFAULT]
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
log_level = CRITICAL

[pipeline:main]
pipeline = ${kind}-server

[app:${kind}-server]
use = egg:swift#${kind}
recon_cache_path = ${folder}
`;
}

function proxyConfig(folder: string, cachePort: number): string {
	return `
[DEFAULT]
swift_dir = ${folder}
log_level = CRITICAL

[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth copy slo dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:s3api]
use = egg:swift#s3api

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${secretAccessKey} .admin
user_test_stranger = ${secretAccessKey}

[filter:copy]
use = egg:swift#copy

[filter:slo]
use = egg:swift#slo

[filter:dlo]
use = egg:swift#dlo
`;
}
