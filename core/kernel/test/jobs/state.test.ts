import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jobTransitions } from '../../src/jobs/state.ts';

/** The state machine as a Mermaid diagram. */
function jobDiagram(): string {
	const lines = jobTransitions.flatMap(({ on, from, to, when }) =>
		from.map((status) => {
			const arrow = `${status === 'new' ? '[*]' : status} --> ${to === 'removed' ? '[*]' : to}`;
			return `\t${arrow}: ${on}${when ? ` [${when}]` : ''}`;
		}),
	);
	return ['stateDiagram-v2', ...lines].join('\n');
}

describe('the state machine of jobs', () => {
	test('changes an ended job only by its removal', () => {
		for (const { on, from } of jobTransitions) {
			const isFromEnd = from.some((status) => status === 'completed' || status === 'failed');
			expect(isFromEnd, on).toBe(on === 'remove');
		}
	});

	test('appends the event that is named after the new state', () => {
		const events = { queued: 'queued', in_progress: 'started', removed: 'deleted' };
		for (const { to, event } of jobTransitions) {
			expect(event).toBe(`job.${{ completed: 'completed', failed: 'failed', ...events }[to]}`);
		}
	});

	test('has one arrow for each transition in the diagram', () => {
		const lines = jobDiagram().split('\n');
		expect(lines[0]).toBe('stateDiagram-v2');
		expect(lines).toContain('\tin_progress --> queued: release');
		expect(lines).toHaveLength(1 + jobTransitions.flatMap(({ from }) => from).length);
	});

	test('equals the diagram between the markers in ARCHITECTURE.md', () => {
		const text = readFileSync(new URL('../../../../ARCHITECTURE.md', import.meta.url), 'utf8');
		const marked = [...text.matchAll(/<!-- job states -->\n([\s\S]*?)<!-- \/job states -->/g)];
		const drawn = `\`\`\`mermaid\n${jobDiagram()}\n\`\`\`\n`;
		expect(marked.map(([, shown]) => shown)).toEqual(marked.map(() => drawn));
	});
});
