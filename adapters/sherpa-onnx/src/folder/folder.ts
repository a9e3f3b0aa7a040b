import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Metadata, readMetadata } from './metadata.ts';

/** The pattern of a file's name in the releases of sherpa-onnx, and an example of that name. */
export type FileRule = readonly [pattern: RegExp, example: string];

/** A file of weights, and the keys of metadata that the engine requires: without them it ends its process. */
export type WeightsRule = readonly [...FileRule, keys?: readonly string[]];

/** The tokens of every family. */
export const tokensFile: FileRule = [/^([^/]+-)?tokens\.txt$/, 'tokens.txt'];

/** The folder of a model. Problems are collected. */
export class ModelFolder {
	readonly path: string;
	readonly problems: string[] = [];
	readonly #names: readonly string[];

	/** Lists a folder. Throws when there is none. */
	constructor(folder: string, base: string) {
		this.path = resolve(base, folder);
		try {
			const names = readdirSync(this.path, { recursive: true, encoding: 'utf8' });
			this.#names = names.map((name) => name.replaceAll('\\', '/')).sort();
		} catch (cause) {
			const remedy = 'Unpack the model there, or correct the option folder. Nothing is downloaded';
			throw new Error(`${this.path} is not a readable folder. ${remedy}.`, { cause });
		}
	}

	/** The only file that matches a rule. Of several files, the one with 8-bit weights. */
	file([pattern, example]: FileRule | WeightsRule): string | undefined {
		const matches = this.#names.filter((name) => pattern.test(name));
		const int8Files = matches.filter((name) => name.includes('int8'));
		const [name, ...others] = int8Files.length > 0 ? int8Files : matches;
		if (others.length > 0) this.problems.push(`${[name, ...others].join(' and ')} are there: keep one of them`);
		if (name === undefined) this.problems.push(`${example} is missing`);
		else if (statSync(join(this.path, name)).size === 0) this.problems.push(`${name} is empty`);
		else return join(this.path, name);
		return undefined;
	}

	/** The only ONNX file that matches a rule. Adds its metadata to `allMetadata`. */
	async weights(rule: WeightsRule, allMetadata: Map<string, string> = new Map()): Promise<string | undefined> {
		const path = this.file(rule);
		if (path === undefined) return undefined;
		const name = path.slice(this.path.length + 1);
		const metadata = await readMetadata(path).catch((error: Error): Metadata => {
			this.problems.push(`${name} ${error.message}`);
			return new Map();
		});
		for (const entry of metadata) allMetadata.set(...entry);
		const missing = rule[2]?.filter((key) => !metadata.has(key)) ?? [];
		if (missing.length > 0) this.problems.push(`the metadata of ${name} lacks ${missing.join(', ')}`);
		return path;
	}

	/** The paths of optional files, separated by commas as the engine expects them; undefined when there is none. */
	all(pattern: RegExp): string | undefined {
		const matches = this.#names.filter((name) => pattern.test(name));
		return matches.map((name) => join(this.path, name)).join(',') || undefined;
	}

	/** Throws one error that lists all problems. */
	check(family: string): void {
		if (this.problems.length === 0) return;
		const remedy = 'Unpack the archive of the model again, or choose the family that the folder holds';
		throw new Error(`${this.path} is not a complete ${family} model: ${this.problems.join('; ')}. ${remedy}.`);
	}
}
