import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@plinth/core';
import { findConfig } from 'plinth';
import { describe, expect, test } from 'vitest';
import { commandVariables } from '../cli/src/doctor/environment.ts';
import { program } from '../cli/src/program.ts';
import { exitTimeoutMs } from '../cli/src/signals.ts';
import { serverSettings } from '../core/kernel/src/contract/server-settings.ts';
import { probePaths } from '../core/kernel/src/http/routing/system.ts';
import { root } from './support/cli.ts';
import {
	composeFile,
	deployFile,
	deployFiles,
	deployFolder,
	imageSettings,
	manifests,
	milliseconds,
	unitOf,
} from './support/deploy-files.ts';
import { codeBlocks, tablesOf } from './support/pages.ts';

const secrets = {
	POSTGRES_PASSWORD: 'postgres-secret',
	BUCKET_SECRET: 'bucket-secret',
	PLINTH_API_KEYS: 'studio:a-key-of-the-studio',
	PLINTH_PUBLIC_URL: 'https://plinth.example.com',
};
const compose = composeFile(secrets);
const image = imageSettings();
const units = Object.fromEntries(deployFiles('systemd/*.service').map((file) => [file, unitOf(file)]));
const common = unitOf('systemd/plinth-.service.d/common.conf').Service ?? {};
const pages = globSync('docs/guides/{deploy*,proxies,backup,upgrade*}.md', { cwd: root });
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const awsVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'];
const cliFolder = join(root, 'cli/src');
const main = read('cli/src/main.ts');
const arenas = Object.fromEntries(
	[...main.matchAll(/(MALLOC_\w+): '(\d+)'/g)].map(([, name = '', value = '']) => [name, value]),
);
const [heapFlag = ''] = /--max-semi-space-size=\d+/.exec(main) ?? [];
const workloads = manifests().filter(([, { spec }]) => spec?.template !== undefined);
const ofKind = (kind: string) => manifests().flatMap(([, manifest]) => (manifest.kind === kind ? [manifest] : []));
const podOf = (manifest: ReturnType<typeof manifests>[number][1]) => {
	const pod = manifest.spec?.template?.spec;
	const [container] = pod?.containers ?? [];
	if (!pod || !container) throw new Error(`${manifest.metadata.name} has no container.`);
	return { pod, container };
};

/** The mistakes in a `plinth` command line. */
function faultsOf(words: readonly string[]): readonly string[] {
	let command = program();
	const rest = [...words];
	for (;;) {
		const [word] = rest;
		const inner = word && command.commands.find((each) => each.name() === word);
		if (!inner) break;
		command = inner;
		rest.shift();
	}
	if (command.name() === 'plinth') return [`There is no command: ${words.join(' ')}`];
	const flags = rest.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
	const known = command.options.flatMap(({ long, short }) => [long, short]);
	return flags.filter((flag) => !known.includes(flag)).map((flag) => `${command.name()} has no ${flag}`);
}

describe('the files for deployment', () => {
	test('name no variable that the program does not read', () => {
		const sources = globSync('cli/src/**/*.ts', { cwd: root }).map(read).join('\n');
		const inSources = [...sources.matchAll(/env\('(\w+)'|process\.env\.(\w+)|\b(MALLOC_\w+):/g)];
		// Read by the AWS SDK.
		const known = new Set([...inSources.flatMap((match) => match.slice(1)), ...commandVariables, ...awsVariables]);
		const texts = [
			...deployFiles().map((file) => [file, deployFile(file)]),
			...pages.map((page) => [page, read(page)]),
		];
		const invalid = texts.flatMap(([file = '', text = '']) =>
			[...text.matchAll(/\b(?:PLINTH|S3|AWS|MALLOC)_[A-Z_]*[A-Z]_?\b|\bDATABASE_URL\b/g)]
				.filter(([name]) => !known.has(name))
				.map(([name]) => `${file}: ${name}`),
		);
		expect(known.size).toBeGreaterThan(15);
		expect(invalid).toEqual([]);
	});

	test('have no line wider than 120 columns', () => {
		// Table rows, and the commands of Dockerfiles and units, may be longer.
		const isWide = (line: string) => line.length > 120 && !/^(?:ExecStart=|\tCMD |\|)/.test(line);
		expect(deployFiles().filter((file) => deployFile(file).split('\n').some(isWide))).toEqual([]);
	});

	test('are all listed in the README', () => {
		const text = deployFile('README.md');
		const names = deployFiles().filter((file) => file !== 'README.md');
		expect(names.length).toBeGreaterThan(10);
		expect(names.filter((name) => !text.includes(`](${name})`))).toEqual([]);
	});

	test('use existing commands and flags only, as the pages do', () => {
		const plinthServices = Object.values(compose.services).filter((service) => service.image === 'plinth');
		const execs = Object.values(units).flatMap((unit) => unit.Service?.ExecStart ?? []);
		const inPages = pages.flatMap((page) =>
			codeBlocks(read(page), 'sh').flatMap((code) =>
				[...code.matchAll(/(?:npx |\.bin\/|--rm )plinth (\w[^|#)\n]*)|compose run --rm \S+ (\w[^|#\n]*)/g)].map(
					([, direct, inside]) => (direct ?? inside ?? '').trim().split(/\s+/),
				),
			),
		);
		const commands = [
			...plinthServices.flatMap(({ entrypoint, command = [] }) => (entrypoint ? [] : [command])),
			...workloads.map(([, manifest]) => podOf(manifest).container.args),
			...execs.map((line) => line.split(' ').slice(line.split(' ').findIndex((word) => word.endsWith('main.js')) + 1)),
			...inPages,
			image.command,
		];
		expect(commands.length).toBeGreaterThan(10);
		expect(commands.flatMap(faultsOf)).toEqual([]);
	});

	test('start the installed program, with the options that it would set itself', () => {
		const { bin } = JSON.parse(read('cli/package.json')) as { readonly bin: Readonly<Record<string, string>> };
		const file = bin.plinth?.replace('./', '');
		expect(image.entrypoint).toEqual(['node', heapFlag, `/opt/plinth/cli/${file}`]);
		for (const [name, { Service = {} }] of Object.entries(units)) {
			const flag = name.includes('migrate') ? '' : `${heapFlag} `;
			expect(Service.ExecStart?.[0], name).toContain(`/usr/bin/node ${flag}/opt/plinth/node_modules/plinth/${file} `);
		}
		const inUnits = Object.fromEntries(
			(common.Environment ?? []).flatMap((line) => line.split(' ')).map((pair) => pair.split('=')),
		);
		expect(Object.keys(arenas)).toHaveLength(3);
		expect(image.environment).toMatchObject(arenas);
		expect(inUnits).toMatchObject(arenas);
	});

	test('wait for the exit of a process before they kill it', () => {
		const services = Object.entries(compose.services).filter(([, { image }]) => image === 'plinth');
		for (const [name, { stop_grace_period }] of services) {
			expect(milliseconds(stop_grace_period), name).toBeGreaterThan(exitTimeoutMs);
		}
		expect(milliseconds(common.TimeoutStopSec?.[0])).toBeGreaterThan(exitTimeoutMs);
		for (const deployment of ofKind('Deployment')) {
			const { pod, container } = podOf(deployment);
			const before = (container.lifecycle?.preStop.sleep.seconds ?? 0) * 1_000;
			const grace = (pod.terminationGracePeriodSeconds ?? 0) * 1_000;
			expect(grace, deployment.metadata.name).toBeGreaterThan(before + exitTimeoutMs);
		}
	});

	test('use no root user, and a read-only root folder', () => {
		expect(image.user).toMatch(/^[1-9]\d*:/);
		for (const [name, service] of Object.entries(compose.services)) {
			if (service.image === 'plinth') expect(service.read_only, name).toBe(true);
		}
		expect(common).toMatchObject({ DynamicUser: ['yes'], ProtectSystem: ['strict'], NoNewPrivileges: ['yes'] });
		for (const [, manifest] of workloads) {
			const { pod, container } = podOf(manifest);
			expect(pod.securityContext.runAsNonRoot).toBe(true);
			expect(container.securityContext).toMatchObject({
				allowPrivilegeEscalation: false,
				readOnlyRootFilesystem: true,
				capabilities: { drop: ['ALL'] },
			});
		}
	});

	test('probe existing paths and ports only', () => {
		const { port } = serverSettings.parse({});
		const [, probed] = /http:\/\/127\.0\.0\.1:(\d+\/\w+)'/.exec(image.healthCommand.join(' ')) ?? [];
		expect(probed).toBe(`${port}/readyz`);
		for (const deployment of ofKind('Deployment')) {
			const { ports = [], livenessProbe, readinessProbe, startupProbe } = podOf(deployment).container;
			expect(ports).toEqual([{ name: 'http', containerPort: port }]);
			const asked = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
			expect(asked.map((get) => get?.path)).toEqual(['/healthz', '/healthz', '/readyz']);
			expect(asked.map((get) => get?.port)).toEqual(['http', 'http', 'http']);
		}
		const [service] = ofKind('Service');
		expect(service?.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
		const addresses = Object.values(compose.services).flatMap(({ networks }) =>
			networks ? [`${networks.default.ipv4_address}:${port}`] : [],
		);
		const upstream = [...deployFile('nginx.conf').matchAll(/^\t*server (\S+) max_fails=0;/gm)].map(([, to]) => to);
		const [, balanced = ''] = /reverse_proxy (.+) \{/.exec(deployFile('Caddyfile')) ?? [];
		expect(addresses).toHaveLength(2);
		expect([upstream, balanced.split(' ')]).toEqual([addresses, addresses]);
		const [, health = ''] = /health_uri (\S+)/.exec(deployFile('Caddyfile')) ?? [];
		expect(probePaths).toContain(health);
	});
});

describe('compose.yaml', () => {
	test('boots the same config in every process, without a problem', async () => {
		for (const [name, { image, environment = {} }] of Object.entries(compose.services)) {
			if (image !== 'plinth') continue;
			const env = { ...environment };
			const found = await findConfig({ file: join(deployFolder, 'plinth.config.yaml'), env, installation: cliFolder });
			expect(found.config.problems, name).toEqual([]);
			expect(found.config.role, name).toBe(name.startsWith('worker') ? 'worker' : 'api');
			expect(found.config.server).toMatchObject({ trustedProxies: 1, publicUrl: secrets.PLINTH_PUBLIC_URL });
			expect(found.config.backends.jobs?.options).toMatchObject({ url: environment.DATABASE_URL, migrate: 'false' });
		}
	});

	test('has two servers and two workers, which start after the migration and the bucket', () => {
		const names = Object.keys(compose.services).sort();
		const others = ['bucket', 'migrate', 'postgres', 'proxy', 's3'];
		expect(names).toEqual([...others, 'api-1', 'api-2', 'worker-1', 'worker-2'].sort());
		const first = { condition: 'service_completed_successfully' };
		for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2']) {
			expect(compose.services[name]?.depends_on, name).toEqual({ migrate: first, bucket: first });
		}
	});

	test('gives the bucket the secret that the servers have', () => {
		const { identities } = JSON.parse(compose.configs.s3?.content ?? '') as {
			readonly identities: readonly { readonly credentials: readonly object[] }[];
		};
		expect(identities[0]?.credentials).toEqual([{ accessKey: 'plinth', secretKey: secrets.BUCKET_SECRET }]);
		expect(compose.services['api-1']?.environment).toMatchObject({
			AWS_ACCESS_KEY_ID: 'plinth',
			AWS_SECRET_ACCESS_KEY: secrets.BUCKET_SECRET,
		});
	});
});

describe('the manifests of Kubernetes', () => {
	test('select their own pods', () => {
		for (const { metadata, spec } of [...ofKind('Deployment'), ...ofKind('PodDisruptionBudget')]) {
			const deployment = ofKind('Deployment').find(({ metadata: { name } }) => name === metadata.name);
			expect(spec?.selector?.matchLabels, metadata.name).toEqual(deployment?.spec?.template?.metadata.labels);
		}
		const [service] = ofKind('Service');
		const [api] = ofKind('Deployment').filter(({ metadata: { name } }) => name === 'plinth-api');
		expect(service?.spec?.selector).toEqual(api?.spec?.template?.metadata.labels);
	});

	test('have one image, the config of compose.yaml, and volumes for all mounts', () => {
		expect(new Set(workloads.map(([, manifest]) => podOf(manifest).container.image)).size).toBe(1);
		const [config] = ofKind('ConfigMap');
		const bare = (text = '') => text.replace(/^\s*#.*\n/gm, '');
		expect(bare(config?.data?.['plinth.config.yaml'])).toBe(bare(deployFile('plinth.config.yaml')));
		for (const [, manifest] of workloads) {
			const { pod, container } = podOf(manifest);
			const mounted = container.volumeMounts.map(({ name }) => name);
			expect(mounted.sort()).toEqual(pod.volumes.map(({ name }) => name).sort());
		}
	});
});

describe('the proxies', () => {
	const nginx = deployFile('nginx.conf');
	const caddy = deployFile('Caddyfile');
	const limits = tablesOf(read('docs/limits.md')).flat();
	const setting = (text: string, name: string) => new RegExp(`\\b${name} (\\S+?);?$`, 'm').exec(text)?.[1] ?? '';

	test('allow the largest body', () => {
		const isBody = (what: string) => /^A (?:JSON|multipart) body/.test(what);
		const sizes = limits.flatMap(([what = '', size = '']) => (isBody(what) ? /^(\d+)\sMiB$/.exec(size)?.[1] : []));
		const largest = Math.max(...sizes.map(Number).filter(Number.isFinite));
		expect(sizes.length).toBeGreaterThan(8);
		expect(setting(nginx, 'client_max_body_size')).toBe(`${largest}m`);
		expect(setting(caddy, 'max_size')).toBe(`${largest}MiB`);
	});

	test('wait longer than the limit of any route, and detect a 503 of /readyz before the listener closes', () => {
		const [, request = ''] = limits.find(([what]) => what === 'Time for a whole request') ?? [];
		const longest = milliseconds(request.replace(/\smin$/, 'm'));
		expect(milliseconds(setting(nginx, 'proxy_read_timeout'))).toBeGreaterThan(longest);
		expect(milliseconds(setting(caddy, 'response_header_timeout'))).toBeGreaterThan(longest);
		const { drainDelayMs } = serverSettings.parse({});
		expect(milliseconds(setting(caddy, 'health_interval'))).toBeLessThan(drainDelayMs);
	});

	test('buffer no stream and no upload', () => {
		const [buffering, requests] = ['proxy_buffering', 'proxy_request_buffering'].map((name) => setting(nginx, name));
		expect([buffering, requests, setting(caddy, 'flush_interval')]).toEqual(['off', 'off', '-1']);
	});

	test('return error bodies of the API', () => {
		const rows = Object.values(errors);
		for (const text of [nginx, caddy]) {
			const bodies = [...text.matchAll(/\{"error":\{[\s\S]*?\}\}/g)].map(
				([body]) => JSON.parse(body) as { readonly error: Readonly<Record<string, string | null>> },
			);
			expect(bodies.map(({ error }) => error.code)).toEqual(['request_too_large', 'server_stopping']);
			for (const { error } of bodies) {
				expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
				expect(rows.some(({ code, type }) => code === error.code && type === error.type)).toBe(true);
			}
		}
	});
});
