import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScriptedComfy } from '../../adapters/comfyui/test/scripted/server.ts';

const { COMFY_PORT = '0', COMFY_LEDGER = '' } = process.env;

/**
 * Runs a scripted ComfyUI as a process that a test can kill. It logs the prompts that it works on. A prompt with
 * "endless" never ends.
 */
const comfy = new ScriptedComfy({
	isForgetful: true,
	stepMs: 15,
	during(id, prompt) {
		appendFileSync(COMFY_LEDGER, `${process.pid} ${id}\n`);
		return JSON.stringify(prompt).includes('endless') ? new Promise<void>(() => {}) : undefined;
	},
});

// Saved files survive a restart of the process, as on a disk.
const folder = `${COMFY_LEDGER}-files`;
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) {
	comfy.files.set(decodeURIComponent(name), readFileSync(join(folder, name)));
}
const keep = comfy.files.set.bind(comfy.files);
comfy.files.set = (name, bytes) => {
	writeFileSync(join(folder, encodeURIComponent(name)), bytes);
	return keep(name, bytes);
};
await comfy.start(Number(COMFY_PORT));
console.log(`engine at ${comfy.url} `);
