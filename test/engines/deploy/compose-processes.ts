import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { type Child, root, startNode } from '../../support/cli.ts';
import { composeFile, deployFolder, imageSettings } from '../../support/deploy-files.ts';
import { freePort } from '../../support/free-port.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { type OwnNginx, ownNginx } from './nginx.ts';

/** The API key of the tests. */
export const key = 'a-key-of-the-studio';

/** A service of compose.yaml that runs as a process of this machine. */
export interface Running {
	readonly name: string;
	readonly port: number;
	child: Child;
	/** The exit code and how long the exit took, in milliseconds. */
	stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
	/** Runs the same command again, like `docker restart`. Resolves when the service is ready. */
	start(): Promise<void>;
}

/** The services of compose.yaml, as native processes. */
export interface ComposeProcesses {
	readonly folder: string;
	readonly postgres: OwnPostgres;
	/** The URL of the database. */
	readonly database: string;
	readonly s3: SwiftServer;
	readonly nginx: OwnNginx;
	/** The servers and workers, by their names in compose.yaml. */
	readonly processes: Readonly<Record<string, Running>>;
	/** A log of events, each with the seconds since the start. */
	readonly transcript: string[];
	log(line: string): void;
	output(): string;
	remove(): Promise<void>;
}

const image = imageSettings();
const longRunning = ['api-1', 'api-2', 'worker-1', 'worker-2'];

/** Differences from the shipped files. */
export interface ComposeOptions {
	/** A config that replaces plinth.config.yaml. */
	readonly config?: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** Starts every service in the order of compose.yaml: engines, migration, bucket, servers and workers, nginx. */
export async function startCompose(name: string, options: ComposeOptions = {}): Promise<ComposeProcesses> {
	const folder = await temporaryDir(name);
	const [postgres, s3] = await Promise.all([ownPostgres(), ownSwift()]);
	const began = performance.now();
	const transcript: string[] = [];
	const children: Child[] = [];
	const log = (line: string) => {
		transcript.push(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
	};
	const { services } = composeFile({
		POSTGRES_PASSWORD: 'unused',
		BUCKET_SECRET: s3.secretAccessKey,
		PLINTH_API_KEYS: `studio:${key}`,
		PLINTH_PUBLIC_URL: 'http://plinth.example.com',
	});
	const config = options.config ?? join(folder, 'plinth.config.yaml');
	if (!options.config) await copyFile(join(deployFolder, 'plinth.config.yaml'), config);
	const database = await postgres.database();
	const addresses = { DATABASE_URL: database, S3_ENDPOINT: s3.endpoint, AWS_ACCESS_KEY_ID: s3.accessKeyId };
	const ports = Object.fromEntries(
		await Promise.all(longRunning.map(async (service): Promise<[string, number]> => [service, await freePort()])),
	);

	/** The command of a service as Docker would run it, with addresses of this machine. */
	async function launch(service: string): Promise<Child> {
		const { entrypoint = image.entrypoint, command = [], environment = {} } = services[service] ?? {};
		const temp = join(folder, service);
		await mkdir(temp, { recursive: true });
		const words = [...entrypoint.slice(1), ...command].map(asHere);
		const child = startNode(words, {
			cwd: temp,
			env: {
				...image.environment,
				...environment,
				...addresses,
				...options.env,
				HOST: '127.0.0.1',
				PORT: String(ports[service] ?? 0),
				PLINTH_DATA_DIR: join(temp, 'data'),
				PLINTH_CONFIG: config,
				TMPDIR: temp,
			},
		});
		children.push(child);
		return child;
	}

	async function runOnce(service: string): Promise<void> {
		const { code, stdout, stderr } = await (await launch(service)).exit;
		if (code !== 0) throw new Error(`${service} ended with ${code}:\n${stdout}${stderr}`);
		log(`${service}: ${stdout.trim().replaceAll('\n', '; ')}`);
	}

	async function start(running: Running): Promise<void> {
		running.child = await launch(running.name);
		const { exit } = running.child;
		let end: string | undefined;
		exit.then(({ code, stderr }) => {
			end = `${running.name} ended with ${code}:\n${stderr}`;
		});
		const isReady = async () => {
			if (end) throw new Error(end);
			return fetch(`http://127.0.0.1:${running.port}/readyz`).then(
				async (response) => (await response.text()) !== '' && response.ok,
				() => false,
			);
		};
		await eventually(`${running.name} is ready`, isReady, 30_000);
	}

	async function stop({ child }: Running): Promise<{ code: number | null; ms: number }> {
		const at = performance.now();
		child.signal('SIGTERM');
		const { code } = await child.exit;
		return { code, ms: performance.now() - at };
	}

	const processes: Record<string, Running> = {};
	const nginx = await ownNginx(
		join(folder, 'nginx'),
		['api-1', 'api-2'].map((service) => `127.0.0.1:${ports[service]}`),
	);
	const startCompose: ComposeProcesses = {
		folder,
		postgres,
		database,
		s3,
		nginx,
		processes,
		transcript,
		log,
		output: () => `${children.map((child) => child.stdout() + child.stderr()).join('\n')}\n${nginx.errors()}`,
		async remove() {
			await nginx.kill();
			await Promise.all(children.map((child) => child.kill()));
			await Promise.all([postgres.remove(), s3.remove()]);
			await removeDir(folder);
		},
	};
	try {
		await Promise.all([runOnce('migrate'), runOnce('bucket')]);
		await Promise.all(
			longRunning.map(async (service) => {
				const running = { name: service, port: ports[service] ?? 0 } as Running;
				Object.assign(running, { stop: () => stop(running), start: () => start(running) });
				processes[service] = running;
				await running.start();
			}),
		);
		await nginx.start();
	} catch (error) {
		await startCompose.remove();
		throw error;
	}
	log(`${longRunning.join(', ')} and nginx are ready`);
	return startCompose;
}

/** The path in this repository of a file of the image. */
function asHere(word: string): string {
	if (word === '/opt/plinth/cli/dist/main.js') return join(root, 'cli/src/main.ts');
	return word.replace(/^\/opt\/plinth\/(?=create-bucket)/, `${deployFolder}/`);
}
