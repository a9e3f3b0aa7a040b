import type { JobState } from '@plinth/core';

/** Orders by id. */
export function byId({ job: a }: JobState, { job: b }: JobState): number {
	return a.id < b.id ? -1 : 1;
}

/** The number of occurrences of a tenant. */
export function countOf(tenants: readonly string[], tenant: string): number {
	return tenants.filter((name) => name === tenant).length;
}

/** The first state of the tenant whose name follows `last`, or of the first tenant when none does. */
export function nextInTurn(states: readonly JobState[], last: string): JobState | undefined {
	const names = [...new Set(states.map(({ job }) => job.tenant))].sort();
	const turn = names.find((name) => name > last) ?? names[0];
	return states.find(({ job }) => job.tenant === turn);
}
