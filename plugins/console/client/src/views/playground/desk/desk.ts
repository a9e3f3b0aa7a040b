import { type Signal, signal } from '@preact/signals';
import type { ApiError } from '../../../api.ts';
import { key } from '../../../state/session.ts';
import { toast } from '../../../state/toasts.ts';
import type { Call, Files } from '../call/call.ts';
import { type CapabilityId, capabilities, type Values } from '../spec/capabilities.ts';
import { Run } from './run.ts';

/** How many runs of a capability are kept. */
const keptRuns = 6;

/** The form values and the runs of a capability. They are kept when the user opens another view. */
export class Desk<R> {
	readonly values: Signal<Values>;
	readonly files: Signal<Files> = signal({});
	/** An error that the page itself found in the values. */
	readonly problem: Signal<ApiError | undefined> = signal(undefined);
	/** The newest one first. */
	readonly runs: Signal<readonly Run<R>[]> = signal([]);
	/** Resolves when the file of the last `setMade` is set. Never rejects. */
	made: Promise<unknown> = Promise.resolve();

	constructor(example: Values) {
		this.values = signal(example);
	}

	set(name: string, value: Values[string]): void {
		this.values.value = { ...this.values.value, [name]: value };
		if (this.problem.value?.param === name) this.problem.value = undefined;
	}

	setFiles(name: string, files: readonly File[]): void {
		this.files.value = { ...this.files.value, [name]: files };
	}

	/** Sets a file once it is made, unless the files of its field are set again before. */
	setMade(name: string, file: Promise<File>): void {
		const before = [...(this.files.value[name] ?? [])];
		this.setFiles(name, before);
		const set = (made: File) => this.files.value[name] === before && this.setFiles(name, [made]);
		this.made = file.then(set, (error) => toast(String(error), 'bad'));
	}

	/** Starts a run. It replaces the run `replaced`, if set, which the work may continue. */
	start(call: Call, work: (run: Run<R>, replaced?: Run<R>) => Promise<void>, replaced?: Run<R>): void {
		const run = new Run<R>(call);
		const others = this.runs.value.filter((each) => each !== replaced);
		replaced?.remove();
		for (const old of others.slice(keptRuns - 1)) old.remove();
		this.runs.value = [run, ...others.slice(0, keptRuns - 1)];
		void run.start(() => work(run, replaced));
	}

	/** Removes a run from the page. */
	remove(run: Run<R>): void {
		run.remove();
		this.runs.value = this.runs.value.filter((each) => each !== run);
	}
}

let desks = new Map<CapabilityId, Desk<unknown>>();

/** The desk of a capability. */
export function deskOf<R>(id: CapabilityId): Desk<R> {
	const existing = desks.get(id);
	if (existing) return existing as Desk<R>;
	const example = capabilities.find((capability) => capability.id === id)?.example ?? {};
	const desk = new Desk<R>(example);
	desks.set(id, desk as Desk<unknown>);
	return desk;
}

// After sign-out, the results are removed: the next key may belong to another user.
key.subscribe((present) => {
	if (present !== undefined) return;
	for (const desk of desks.values()) for (const run of desk.runs.value) run.remove();
	desks = new Map();
});
