import type { Bench } from './harness/bench.ts';
import { Load, type Target } from './harness/load.ts';
import { inTurns, median, type Sample } from './harness/rounds.ts';
import { keyHeaders, startBare, startServer } from './harness/server.ts';

const connections = 32;

/** The cost of each step of a request: the difference between routes that do one step more each. */
export const requests: Bench = {
	name: 'requests',
	about: 'what routing and logging, the key and its checks, and validation cost per request',
	needs: [],
	async run() {
		const body = JSON.stringify({ ok: true });
		const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
		const [server, bare, load] = await Promise.all([startServer(), startBare({ headers, body }), Load.start()]);
		const ours = (path: string): Target => ({ ...server, request: { path, headers: keyHeaders } });
		const targets = {
			bare: { ...bare, request: { path: '/', headers: keyHeaders } },
			open: ours('/bench/open'),
			keyed: ours('/v1/bench/keyed'),
			checked: ours('/v1/bench/checked?limit=20&order=desc'),
		};
		const drive = (target: Target) => () => load.run(target, connections, 1_000);
		try {
			for (const target of Object.values(targets)) await load.warmUp(target, connections, 20_000);
			const samples = await inTurns(5, {
				bare: drive(targets.bare),
				open: drive(targets.open),
				keyed: drive(targets.keyed),
				checked: drive(targets.checked),
			});
			const cost = (side: keyof typeof targets) => median(samples[side].map(({ cpu }: Sample) => cpu * 1000));
			const unit = 'CPU µs per request';
			return [
				{ name: 'bare node:http', unit, ours: cost('bare') },
				{ name: '+ kernel, route and log', unit, ours: cost('open') - cost('bare') },
				{ name: '+ key, admission, scope', unit, ours: cost('keyed') - cost('open') },
				{ name: '+ query validation', unit, ours: cost('checked') - cost('keyed') },
			];
		} finally {
			await Promise.all([server.stop(), bare.stop(), load.stop()]);
		}
	},
};
