import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './bench.ts';

const remedies: Readonly<Record<Program, string>> = {
	nginx: 'nginx is missing: apt-get install nginx-light (only the program is used, no service)',
	ffmpeg: 'ffmpeg is missing: apt-get install ffmpeg',
	vips: 'vips is missing: apt-get install libvips-tools',
	pdftotext: 'pdftotext is missing: apt-get install poppler-utils',
	pandoc: 'pandoc is missing: apt-get install pandoc',
	soffice: 'soffice is missing: apt-get install libreoffice-nogui',
	gcc: 'gcc is missing: apt-get install gcc libc6-dev',
	taskset: 'taskset is missing: apt-get install util-linux',
	postgres: 'PostgreSQL is missing: apt-get install postgresql (only the program is used, no service)',
	'pg-boss': 'pg-boss is missing: npm ci --prefix test/engines --omit=optional',
	'swift-proxy-server': 'Swift is missing: apt-get install swift-proxy swift-account swift-container swift-object',
	memcached: 'memcached is missing: apt-get install memcached (only the program is used, no service)',
};

const versionFlags: Readonly<Record<Program, string>> = {
	nginx: '-v',
	ffmpeg: '-version',
	vips: '--version',
	pdftotext: '-v',
	pandoc: '--version',
	soffice: '--version',
	gcc: '--version',
	taskset: '--version',
	postgres: '--version',
	'pg-boss': '--help',
	'swift-proxy-server': '--help',
	memcached: '--version',
};

/** How to install the missing programs, one sentence per program. */
export function missing(needs: readonly Program[]): readonly string[] {
	return needs.filter((program) => !find(program)).map((program) => remedies[program]);
}

/** The path of a program. Throws when there is none. */
export function pathOf(program: Program): string {
	const found = find(program);
	if (!found) throw new Error(remedies[program]);
	return found;
}

/** The version that a program prints. */
export function versionOf(program: Program): string {
	const script = '"$0" "$1" 2>&1';
	const text = execFileSync('/bin/sh', ['-c', script, pathOf(program), versionFlags[program]], {
		encoding: 'utf8',
	});
	return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'unknown';
}

/** The folders of each PostgreSQL version of Debian, and of the engines that npm installs. */
const unusual = [
	...['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`),
	join(import.meta.dirname, '../../test/engines/node_modules/.bin'),
];

function find(program: Program): string | undefined {
	// Debian installs servers into a folder that only root's PATH contains.
	const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', ...unusual];
	return folders
		.filter(Boolean)
		.map((folder) => join(folder, program))
		.find(isExecutable);
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
