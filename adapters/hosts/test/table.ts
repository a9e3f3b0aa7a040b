import { hosts, passesParsed } from './hosts.ts';
import { requests } from './requests.ts';

/** What the suite proves, as the guide has it: requests by hosts. */
export function hostTable(): string {
	const names = Object.keys(hosts);
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	const parsed = ['JSON', 'a form'].map((kind) =>
		row([
			`${kind} that the host has read`,
			...names.map((name) => (passesParsed[name]?.includes(kind) ? 'yes' : '400')),
		]),
	);
	return [
		row(['request', ...names]),
		row(['---', ...names.map(() => '---')]),
		...Object.keys(requests).map((request) => row([request, ...names.map(() => 'yes')])),
		...parsed,
	].join('\n');
}
