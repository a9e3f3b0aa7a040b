import type { Bench, Row } from './harness/bench.ts';
import { type Child, startChild } from './harness/child.ts';
import { cpuFigures, inTurns, type Sample } from './harness/rounds.ts';

/**
 * A picture from a scripted ComfyUI: queue, socket, history, file and its text chunks, against the file alone. Each
 * side has its own process, because garbage that one leaves would be collected at the cost of the other.
 */
export const comfyui: Bench = {
	name: 'comfyui',
	about: 'a PNG of 2 MB through a workflow of ComfyUI, against fetching the file with undici at the same pace',
	needs: [],
	async run(): Promise<readonly Row[]> {
		const engine = startChild('comfyui.ts');
		const children: Child[] = [engine];
		const { url } = await engine.next<{ url: string }>();
		const start = async (side: string): Promise<() => Promise<Sample>> => {
			const child = startChild('comfyui-client.ts', { args: [side, url] });
			children.push(child);
			await child.next();
			return () => {
				child.send({});
				return child.next();
			};
		};
		try {
			const sides = { ours: await start('ours'), reference: await start('undici') };
			// The first rounds compile code.
			await inTurns(1, sides);
			return [
				{
					name: 'comfyui image 2 MB',
					unit: 'CPU ms per picture',
					...cpuFigures(await inTurns(7, sides), 'undici'),
					goal: { of: 'ratio', bound: 'at most', limit: 1.5 },
					note: 'ours also queues the workflow, opens a socket, and looks into the history; both wait between pictures',
				},
			];
		} finally {
			await Promise.all(children.map((child) => child.stop()));
		}
	},
};
