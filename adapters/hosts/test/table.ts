import { hosts, passesParsed } from './hosts.ts';

/** The table of the guide: which requests each host supports. */
export function hostTable(): string {
	const names = Object.keys(hosts);
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	const parsed = ['JSON', 'a form'].map((kind) =>
		row([
			`${kind} that the host has read`,
			...names.map((name) => (passesParsed[name]?.includes(kind) ? 'yes' : '400')),
		]),
	);
	return [row(['request', ...names]), row(['---', ...names.map(() => '---')]), ...parsed].join('\n');
}
