import type { Fault } from '../fault.ts';

const source = 'core/kernel/src/models';
const test = 'core/kernel/test/models';

/** Turns of models: slots, queues, circuits, fallbacks. */
export const modelFaults: readonly Fault[] = [
	{
		what: 'a slot of a model is given back twice',
		file: `${source}/fair-queue.ts`,
		find: 'if (this.#isFree) return;',
		replace: '',
		tests: [`${test}/bounds.test.ts`, `${test}/fair-queue.test.ts`],
	},
	{
		what: 'a slot is free while its work goes on',
		file: `${source}/fair-queue.ts`,
		find: 'if (this.#isDone && this.#keepers === 0) this.free();',
		replace: 'if (this.#keepers === 0) this.free();',
		tests: [`${test}/fair-queue.test.ts`],
	},
	{
		what: 'the first tenant in a queue keeps its turn',
		file: `${source}/fair-queue.ts`,
		find: 'if (this.#waiters.delete(tenant)) this.#waiters.set(tenant, waiters);',
		replace: '',
		tests: [`${test}/fair-queue.test.ts`],
	},
	{
		what: 'a tenant pushes out one that has as many in the queue',
		file: `${source}/fair-queue.ts`,
		find: 'waiters.size <= own + 1',
		replace: 'waiters.size <= own',
		tests: [`${test}/fair-queue.test.ts`],
	},
	{
		what: 'Retry-After is as long as anybody says',
		file: `${source}/failures.ts`,
		find: 'Math.min(Math.max(Math.ceil(ms / 1000), 1), retryAfterSeconds)',
		replace: 'Math.max(Math.ceil(ms / 1000), 1)',
		tests: [`${test}/circuit.test.ts`, `${test}/fair-queue.test.ts`],
	},
	{
		what: 'a turn from before a circuit opened closes it',
		file: `${source}/circuit.ts`,
		find: 'if (epoch !== this.#epoch) return;',
		replace: '',
		tests: [`${test}/circuit.test.ts`],
	},
	{
		what: 'failures count that are not in a row',
		file: `${source}/circuit.ts`,
		find: "else if (outcome === 'answered') this.#failed = 0;",
		replace: "else if (outcome === 'answered') return;",
		tests: [`${test}/circuit.test.ts`],
	},
	{
		what: 'a circuit lets two trials begin',
		file: `${source}/circuit.ts`,
		find: "if (this.#health === 'trying') this.#isTrialUnderWay = true;",
		replace: '',
		tests: [`${test}/circuit.test.ts`],
	},
	{
		what: 'a busy model counts as one that fails',
		file: `${source}/guarded-model.ts`,
		find: " && codeOf(error) !== 'E_MODEL_BUSY'",
		replace: '',
		tests: [`${test}/circuit.test.ts`, `${test}/bounds.test.ts`],
	},
	{
		what: 'a caller who left while waiting gets a turn',
		file: `${source}/guarded-model.ts`,
		find: 'if (this.#allowsCall && !caller.signal.aborted)',
		replace: 'if (this.#allowsCall)',
		tests: [`${test}/bounds.test.ts`],
	},
	{
		what: 'work behind its time limit keeps its slot for ever',
		file: `${source}/guarded-model.ts`,
		find: 'this.#clock.after(abandonMs, () => slot.free())',
		replace: 'this.#clock.after(abandonMs, () => {})',
		tests: [`${test}/bounds.test.ts`],
	},
	{
		what: 'the model is not told that its time is over',
		file: `${source}/guarded-model.ts`,
		find: 'timeout.abort(error);',
		replace: '',
		tests: [`${test}/bounds.test.ts`],
	},
	{
		what: 'what a stand-in refuses hides the failure of the model',
		file: `${source}/directory.ts`,
		find: 'if (!isFailure && !(isFallback && isRefusal(error))) throw error;',
		replace: 'if (!isFailure) throw error;',
		tests: [`${test}/ask.test.ts`],
	},
	{
		what: 'a caller who has left costs every fallback a call',
		file: `${source}/directory.ts`,
		find: 'caller.signal.throwIfAborted();\n\t\t\tif (isFailure)',
		replace: 'if (isFailure)',
		tests: [`${test}/ask.test.ts`],
	},
	{
		what: 'a model is asked twice for one request',
		file: `${source}/directory.ts`,
		find: 'if (seen.has(model)) continue;',
		replace: '',
		tests: [`${test}/ask.test.ts`],
	},
	{
		what: 'weights of a pool are ignored',
		file: `${source}/round-robin.ts`,
		find: 'entry.current += entry.weight;',
		replace: 'entry.current += 1;',
		tests: [`${test}/pool.test.ts`],
	},
	{
		what: 'a longer secret leaves its end in a message',
		file: 'core/kernel/src/contract/errors/redact.ts',
		find: '.sort((a, b) => b.length - a.length)',
		replace: '.sort((a, b) => a.length - b.length)',
		tests: ['core/kernel/test/redact.test.ts'],
	},
];
