import { jobTransitions } from './state.ts';

/** The state machine as a Mermaid state diagram. */
export function jobDiagram(): string {
	const lines = jobTransitions.flatMap(({ on, from, to, when }) =>
		from.map((status) => {
			const arrow = `${status === 'new' ? '[*]' : status} --> ${to === 'removed' ? '[*]' : to}`;
			return `\t${arrow}: ${on}${when ? ` [${when}]` : ''}`;
		}),
	);
	return ['stateDiagram-v2', ...lines].join('\n');
}
