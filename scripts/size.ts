import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The maximum number of non-blank lines of a package, without its tests. */
const limits: Readonly<Record<string, number>> = {
	'core/kernel': 11_500,
	'core/testing': 5_000,
	'core/toolkit': 2_500,
	// The models of providers (700), and the provider for clients (387).
	'adapters/ai-sdk': 1_087,
	'adapters/audio': 600,
	'adapters/builtin': 3_500,
	'adapters/comfyui': 900,
	'adapters/command': 1_500,
	'adapters/documents': 3_300,
	'adapters/llama-cpp': 700,
	'adapters/openai': 3_500,
	'adapters/postgres': 1_930,
	'adapters/s3': 760,
	'adapters/sherpa-onnx': 700,
	'plugins/console': 7_985,
	'plugins/transcription': 1_010,
	'plugins/webhooks': 1_500,
};
const longestFile = 300;
const widestLine = 120;

/** The size of one package. */
interface Size {
	readonly folder: string;
	readonly files: number;
	/** Non-blank lines. */
	readonly lines: number;
	/** The number of names that its main entry exports. */
	readonly names: number;
	/** `file: lines`, over the limit. */
	readonly longFiles: readonly string[];
	/** `file:line`, over the limit. */
	readonly wideLines: readonly string[];
}

/** Counts the lines of every workspace package. */
export function sizes(): readonly Size[] {
	const folders = globSync('{core/*,plugins/*,adapters/*,cli,cli/create-plinth}/package.json', { cwd: root });
	return folders.sort().map((file) => sizeOf(file.replace('/package.json', '')));
}

function sizeOf(folder: string): Size {
	// A page for browsers is in the folder of its package, next to the sources.
	const sources = globSync([`${folder}/src/**/*.ts`, `${folder}/client/**/*.{ts,tsx,css}`], { cwd: root })
		.sort()
		.map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }));
	const isWide = (line: string) => line.length > widestLine;
	return {
		folder,
		files: sources.length,
		lines: sources.reduce((sum, { lines }) => sum + lines.filter(isFilled).length, 0),
		names: exportedNames(join(root, folder, 'src/index.ts')),
		longFiles: sources
			.filter(({ lines }) => lines.length - 1 > longestFile)
			.map(({ path, lines }) => `${path}: ${lines.length - 1}`),
		wideLines: sources.flatMap(({ path, lines }) =>
			lines.flatMap((line, index) => (isWide(line) ? [`${path}:${index + 1}`] : [])),
		),
	};
}

function isFilled(line: string): boolean {
	return line.trim() !== '';
}

/** The names that a file exports: declarations, export lists, and the names of files that it exports with `*`. */
function exportedNames(file: string): number {
	const text = readFileSync(file, 'utf8');
	const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','));
	const own = text.matchAll(/^export (?:(?:async )?(?:interface|type|const|function|class) (\w+)|\* as (\w+))/gm);
	const whole = [...text.matchAll(/^export \* from '(.+)'/gm)].map(([, path = '']) => resolve(file, '..', path));
	const names = new Set([...own].map(([, name, space]) => name ?? space));
	return names.size + lists.filter(isFilled).length + whole.reduce((sum, path) => sum + exportedNames(path), 0);
}

if (import.meta.main) {
	const all = sizes();
	console.table(
		all.map(({ folder, files, lines, names, longFiles, wideLines }) => ({
			package: folder,
			files,
			lines,
			limit: limits[folder] ?? '',
			'exported names': names,
			[`files > ${longestFile}`]: longFiles.length,
			[`lines > ${widestLine} columns`]: wideLines.length,
		})),
	);
	const total = all.reduce((sum, { lines }) => sum + lines, 0);
	console.log(`${total} non-blank lines in total, without tests`);
	const over = all.filter(({ folder, lines }) => lines > (limits[folder] ?? Number.POSITIVE_INFINITY));
	for (const { folder, lines } of over) console.log(`over its limit: ${folder} ${lines}`);
	for (const { longFiles } of all) for (const file of longFiles) console.log(`long file: ${file}`);
	if (process.argv.includes('--wide')) for (const { wideLines } of all) console.log(wideLines.join('\n'));
	process.exitCode = over.length > 0 ? 1 : 0;
}
