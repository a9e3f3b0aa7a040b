import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { llamaCpp } from '@plinth/llama-cpp';
import type { ChatEvent, ChatModel, ChatRequest } from '@plinth/plugin-chat/model';
import { createModel, silentLogger } from '@plinth/testing';

/** An ignored folder from which the engine packages can be imported. */
const parent = join(import.meta.dirname, '../.plinth');

/** A folder for the models of a test. */
export function modelFolder(): { readonly folder: string; remove(): Promise<void> } {
	mkdirSync(parent, { recursive: true });
	const folder = mkdtempSync(join(parent, 'models-'));
	return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Options of a model that computes on one thread. More threads would slow down parallel tests. */
export type Options = Parameters<typeof llamaCpp.chat>[0] & object;

/** Creates a chat model of a file in a folder. */
export function chatModel(folder: string, options: Options) {
	return createModel<ChatModel>(llamaCpp.chat({ threads: 1, gpu: false, ...options }), { folder });
}

/** A request of one user message. */
export function asking(text: string, more: Partial<ChatRequest> = {}): ChatRequest {
	return {
		messages: [{ role: 'user', content: [{ type: 'text', text }] }],
		tools: [],
		toolChoice: 'auto',
		parallelToolCalls: true,
		format: { type: 'text' },
		stop: [],
		...more,
	};
}

/** A response, with its events joined. */
export interface Answer {
	readonly text: string;
	readonly pieces: number;
	readonly calls: readonly Extract<ChatEvent, { type: 'tool_call' }>[];
	readonly warnings: readonly string[];
	readonly finish: Extract<ChatEvent, { type: 'finish' }>;
}

/** Streams a response. */
export function stream(model: ChatModel, request: ChatRequest, seed = 7, signal = new AbortController().signal) {
	return model.stream(request, { signal, seed, log: silentLogger() });
}

/** Reads a response to its end. */
export async function response(model: ChatModel, request: ChatRequest, seed = 7): Promise<Answer> {
	const events: ChatEvent[] = [];
	for await (const event of stream(model, request, seed)) events.push(event);
	const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
	const finish = events.at(-1);
	if (finish?.type !== 'finish') throw new Error('The response has no end event.');
	return {
		text: texts.join(''),
		pieces: texts.length,
		calls: events.filter((event) => event.type === 'tool_call'),
		warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
		finish,
	};
}

/** The ids of running engine processes that a process has started. */
export function enginesOf(ppid = process.pid): readonly number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.filter((pid) => {
			const [, state, parentPid] = /\) (\S) (\d+) /.exec(read(`/proc/${pid}/stat`)) ?? [];
			return Number(parentPid) === ppid && state !== 'Z' && read(`/proc/${pid}/cmdline`).includes('engine/child');
		})
		.map(Number);
}

/** The memory of a process, in megabytes. */
export function memoryOf(pid: number): number {
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
	return Number(kilobytes) / 1_024;
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}
