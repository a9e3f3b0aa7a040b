import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineModel } from '@plinth/core';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { z } from 'zod';
import { solidPng } from './png.ts';

/** One line of the file in which `quickVideo` logs its runs. */
export interface QuickRun {
	readonly event: 'began' | 'ended' | 'aborted';
	readonly pid: number;
	readonly prompt: string;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
}

const head = Buffer.concat([Buffer.from([0, 0, 0, 20]), Buffer.from('ftypisom\0\0\0\0isom', 'latin1')]);
const steps = 10;

/**
 * A video model for tests with several processes. The prompt sets duration and size: `ms=300 kb=40`. The bytes contain
 * the id of the process that made them. A file logs every run.
 */
export const quickVideo = defineModel({
	kind: videoModels,
	name: 'test.quick',
	config: z.strictObject({ runs: z.string() }),
	create: ({ config }): VideoModel => ({
		apiVersion: 1,
		async generate({ prompt, reference }, { signal, progress }) {
			const log = (event: QuickRun['event']) => {
				const run: QuickRun = { event, pid: process.pid, prompt, at: Date.now() };
				appendFileSync(config.runs, `${JSON.stringify(run)}\n`);
			};
			log('began');
			try {
				await reference?.bytes();
				for (let step = 1; step <= steps; step++) {
					await delay(numberIn(prompt, 'ms', 100) / steps, undefined, { signal });
					progress(step / steps);
				}
			} catch (error) {
				log('aborted');
				throw error;
			}
			log('ended');
			return { body: bytesOf(prompt), mediaType: 'video/mp4', ...posterOf(prompt) };
		},
	}),
});

async function* bytesOf(prompt: string): AsyncGenerator<Uint8Array> {
	yield Buffer.concat([head, Buffer.from(`${JSON.stringify({ pid: process.pid, prompt })}\n`)]);
	for (let left = numberIn(prompt, 'kb', 16); left > 0; left -= 64) {
		yield Buffer.alloc(Math.min(left, 64) * 1_024, prompt);
	}
}

/** `poster=8000`: a poster of this many kilobytes. It is stored after the video and takes a while. */
function posterOf(prompt: string) {
	const kilobytes = numberIn(prompt, 'poster', 0);
	if (kilobytes === 0) return {};
	const body = Buffer.concat([solidPng(16, 16, [0, 0, 0]), Buffer.alloc(kilobytes * 1_024)]);
	return { poster: { body, mediaType: 'image/png' } } as const;
}

/** The process and the prompt that these bytes came from. Throws for bytes of another model. */
export function describeBytes(bytes: Uint8Array): { readonly pid: number; readonly prompt: string } {
	const text = Buffer.from(bytes.subarray(head.length)).toString('utf8');
	return JSON.parse(text.slice(0, text.indexOf('\n')));
}

/** All runs in a log file, in order. A line that was truncated by a kill is left out. */
export function readRuns(file: string): readonly QuickRun[] {
	return read(file)
		.split('\n')
		.flatMap((line) => {
			try {
				return [JSON.parse(line) as QuickRun];
			} catch {
				return [];
			}
		});
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}

function numberIn(prompt: string, name: string, fallback: number): number {
	return Number(new RegExp(`\\b${name}=(\\d+)`).exec(prompt)?.[1] ?? fallback);
}
