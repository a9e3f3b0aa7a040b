import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root } from './cli.ts';

/** The files that operators copy. */
export const deployFolder = join(root, 'docs/deploy');

/** A service of compose.yaml, as far as tests look at it. */
export interface ComposeService {
	readonly image: string;
	readonly entrypoint?: readonly string[];
	readonly command?: readonly string[];
	readonly environment?: Readonly<Record<string, string>>;
	readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
	readonly networks?: { readonly default: { readonly ipv4_address: string } };
	readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
	readonly volumes?: readonly unknown[];
	readonly ports?: readonly string[];
	readonly read_only?: boolean;
	readonly restart?: string;
	readonly stop_grace_period?: string;
}

/** compose.yaml after interpolation. */
export interface ComposeFile {
	readonly services: Readonly<Record<string, ComposeService>>;
	readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

/** Reads compose.yaml with the variables that `.env` gives. Throws when a needed one is missing. */
export function composeFile(variables: Readonly<Record<string, string>>): ComposeFile {
	const text = deployFile('compose.yaml').replace(/\$\{(\w+):\?\}/g, (_, name: string) => {
		const value = variables[name];
		if (value === undefined) throw new Error(`compose.yaml needs ${name}.`);
		return value;
	});
	return parse(text, { merge: true }) as ComposeFile;
}

/** What a Dockerfile sets for the processes of its image. */
export interface ImageSettings {
	readonly environment: Readonly<Record<string, string>>;
	readonly entrypoint: readonly string[];
	readonly command: readonly string[];
	readonly healthCommand: readonly string[];
	readonly user: string;
}

/** Reads the last stage of the Dockerfile. */
export function imageSettings(): ImageSettings {
	const [, stage = ''] = deployFile('Dockerfile').split(/^FROM [^\n]+(?<! AS build)\n/m);
	const lines = stage
		.replace(/^#.*\n/gm, '')
		.replace(/\\\n\s*/g, ' ')
		.split('\n');
	const of = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
	const list = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as readonly string[];
	const pairs = [...of('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
	return {
		environment: Object.fromEntries(pairs),
		entrypoint: list(of('ENTRYPOINT')),
		command: list(of('CMD')),
		healthCommand: list(of('HEALTHCHECK').replace(/^.* CMD /, '')),
		user: of('USER'),
	};
}

/** The sections of a systemd unit: the values of each key, in order. */
export type Unit = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Reads a unit, or a part of one. */
export function unitOf(file: string): Unit {
	const unit: Record<string, Record<string, string[]>> = {};
	let section: Record<string, string[]> = {};
	for (const line of deployFile(file).split('\n')) {
		const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
		const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
		if (name) {
			section = {};
			unit[name] = section;
		} else if (key) section[key] = [...(section[key] ?? []), value];
	}
	return unit;
}

/** A container of a pod, as far as tests look at it. */
export interface Container {
	readonly image: string;
	readonly args: readonly string[];
	readonly env?: readonly { readonly name: string; readonly value: string }[];
	readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
	readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
	readonly startupProbe?: Probe;
	readonly livenessProbe?: Probe;
	readonly readinessProbe?: Probe;
	readonly securityContext: {
		readonly allowPrivilegeEscalation: boolean;
		readonly readOnlyRootFilesystem: boolean;
		readonly capabilities: { readonly drop: readonly string[] };
	};
	readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Probe {
	readonly httpGet: { readonly path: string; readonly port: string };
}

type Labels = Readonly<Record<string, string>>;

/** A manifest of Kubernetes, as far as tests look at it. */
export interface Manifest {
	readonly apiVersion: string;
	readonly kind: string;
	readonly metadata: { readonly name: string; readonly labels?: Labels };
	readonly data?: Readonly<Record<string, string>>;
	readonly spec?: {
		readonly replicas?: number;
		readonly selector?: { readonly matchLabels?: Labels };
		readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
		readonly maxUnavailable?: number;
		readonly template?: {
			readonly metadata: { readonly labels: Labels };
			readonly spec: {
				readonly terminationGracePeriodSeconds?: number;
				readonly securityContext: { readonly runAsNonRoot: boolean };
				readonly containers: readonly Container[];
				readonly volumes: readonly { readonly name: string }[];
			};
		};
	};
}

/** Every manifest, by its file. */
export function manifests(): readonly (readonly [file: string, manifest: Manifest])[] {
	return deployFiles('kubernetes/*.yaml').flatMap((file) =>
		parseAllDocuments(deployFile(file)).map((document) => {
			if (document.errors.length > 0) throw document.errors[0];
			return [file, document.toJS() as Manifest] as const;
		}),
	);
}

/** The paths of the files that match, from the folder of all of them. */
export function deployFiles(pattern = '**/*'): readonly string[] {
	return globSync(pattern, { cwd: deployFolder, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(deployFolder.length + 1))
		.sort();
}

/** The text of a file. */
export function deployFile(name: string): string {
	return readFileSync(join(deployFolder, name), 'utf8');
}

/** Milliseconds of `20s`, `1m`, `500ms` or `31m`. */
export function milliseconds(text = ''): number {
	const [, count, unit = ''] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
	return Number(count) * ({ ms: 1, s: 1_000, m: 60_000 }[unit] ?? Number.NaN);
}
