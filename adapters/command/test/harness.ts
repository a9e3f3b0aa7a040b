import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger, ModelFactory } from '@plinth/core';
import type { ChatRequest } from '@plinth/plugin-chat/model';
import type { ImageRequest, ImageRun } from '@plinth/plugin-image/model';
import type { VideoRequest, VideoRun } from '@plinth/plugin-video/model';
import { createModel, eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import type { z } from 'zod';

/**
 * Creates models whose programs run below a temporary folder of their own. Their leftover processes and files can then
 * be found.
 */
export interface Harness {
	readonly clock: ManualClock;
	/** The parent of the working folders. */
	readonly dir: string;
	make<M, C extends z.ZodType>(factory: ModelFactory<M, C>, options: z.input<C>): Promise<M>;
	/**
	 * Resolves when no process and no working folder of a run is left. The guard processes of the models may still run.
	 */
	clean(): Promise<void>;
	/** Ids of the running processes that were started by programs. */
	processes(): readonly number[];
	/** Stops the models. */
	stop(): Promise<void>;
	/** Stops the models and removes the folder. Rejects when something is left over. */
	remove(): Promise<void>;
}

/** Creates a harness. It replaces the temporary folder of the system until it is removed. */
export async function createHarness(): Promise<Harness> {
	const before = process.env.TMPDIR;
	const dir = await mkdtemp(join(tmpdir(), 'plinth-test-command-'));
	process.env.TMPDIR = dir;
	const clock = manualClock();
	const stops: (() => Promise<void>)[] = [];
	const processes = () => processesOf(dir);
	const clean = () =>
		eventually(
			'no process and no folder is left',
			// The cheaper check first.
			async () => (await readdir(dir)).length === 0 && processes().length === 0,
		);
	const stop = async () => {
		for (const task of stops.splice(0).reverse()) await task();
	};
	return {
		clock,
		dir,
		processes,
		clean,
		stop,
		async make<M, C extends z.ZodType>(factory: ModelFactory<M, C>, options: z.input<C>) {
			const { model, close } = await createModel(factory(options), { clock });
			stops.push(close);
			return model;
		},
		async remove() {
			await stop();
			await clean();
			await eventually('no guard process is left', () => guardsOf(dir).length === 0);
			restore(before);
			await rm(dir, { recursive: true, force: true });
		},
	};
}

/** All processes whose environment contains the folder: programs get it as their temporary folder. */
function processesOf(dir: string): readonly number[] {
	return processesWhose('environ', `TMPDIR=${dir}/`);
}

/** All shells that guard the runs below a folder. */
function guardsOf(dir: string): readonly number[] {
	return processesWhose('cmdline', `plinth-guard\0${dir}`);
}

function processesWhose(file: 'environ' | 'cmdline', text: string): readonly number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => {
			try {
				return readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text);
			} catch {
				return false;
			}
		});
}

function restore(before: string | undefined): void {
	if (before === undefined) delete process.env.TMPDIR;
	else process.env.TMPDIR = before;
}

/** The arguments of a shell script, which starts within a millisecond. */
export function shell(script: string): [string, string, string, string] {
	return ['/bin/sh', '-c', script, 'sh'];
}

export const video: VideoRequest = {
	prompt: 'A lighthouse',
	seconds: 4,
	size: { width: 640, height: 480 },
};

/** The context of a video request. */
export function videoRun(changes: Partial<VideoRun> = {}): VideoRun {
	return {
		signal: new AbortController().signal,
		progress: () => {},
		checkpoint: async () => {},
		seed: 7,
		key: 'key-1',
		log: quiet,
		...changes,
	};
}

export const image: ImageRequest = {
	prompt: 'A red boat',
	count: 1,
	quality: 'low',
	background: 'auto',
	format: 'png',
	compression: 100,
	moderation: 'auto',
};

/** The context of an image request. */
export function imageRun(changes: Partial<ImageRun> = {}): ImageRun {
	const { signal } = new AbortController();
	return { signal, seed: 7, partials: 0, partial: () => {}, log: quiet, ...changes };
}

/** A chat request with one question. */
export function question(text: string): ChatRequest {
	return {
		messages: [{ role: 'user', content: [{ type: 'text', text }] }],
		tools: [],
		toolChoice: 'auto',
		parallelToolCalls: true,
		format: { type: 'text' },
		stop: [],
	};
}

export const quiet: Logger = silentLogger();
