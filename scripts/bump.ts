import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The packages that share one version. */
const published = '{core/*,cli,cli/create-plinth,plugins/*,adapters/*}/package.json';

/** Other places with this version, and manifests that depend on these packages. */
const others = [
	'core/kernel/src/contract/version.ts',
	'examples/*/package.json',
	'test/packages/third-party/*/package.json',
	'docs/guides/*.md',
];

/** Every file that contains the version, relative to the root of the repository. */
export function versionedFiles(): readonly string[] {
	return globSync([published, ...others], { cwd: root }).sort();
}

/** Replaces the version in a file: in ranges of the packages of Plinth, and as the version in their own manifests. */
export function withVersion(path: string, text: string, version: string): string {
	const ranged = text.replace(/("(?:plinth|@plinth\/[\w-]+)": "\^)[^"]+"/g, `$1${version}"`);
	if (path.endsWith('version.ts')) return ranged.replace(/(version = ')[^']+/, `$1${version}`);
	const isManifest = /^(core\/[^/]+|cli|cli\/create-plinth|plugins\/[^/]+|adapters\/[^/]+)\/package\.json$/.test(path);
	return isManifest ? ranged.replace(/^(\t"version": ")[^"]+/m, `$1${version}`) : ranged;
}

function bump(version: string): void {
	for (const path of versionedFiles()) {
		const text = readFileSync(join(root, path), 'utf8');
		writeFileSync(join(root, path), withVersion(path, text, version));
	}
}

if (import.meta.main) {
	const [version = ''] = process.argv.slice(2);
	if (/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
		bump(version);
		console.log(`Every package is ${version}. Run npm install to update the lock.`);
	} else {
		console.error(`"${version}" is not a version. Run: npx node scripts/bump.ts 1.2.3`);
		process.exitCode = 1;
	}
}
