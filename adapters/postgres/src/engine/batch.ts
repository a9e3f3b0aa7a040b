import { failureKind, toError } from '../errors.ts';

/** Runs calls as one statement. Returns one answer for each call, in the same order. */
export type RunGroup<Command, Answer> = (commands: readonly Command[]) => Promise<readonly Answer[]>;

interface Waiting<Command, Answer> {
	readonly command: Command;
	resolve(answer: Answer): void;
	reject(error: unknown): void;
}

/** Maximum calls of one statement. After a slow commit, more may wait than one statement can do in time. */
const maxCalls = 200;

/**
 * Runs the calls of one turn of the event loop as one statement, which is one transaction. Calls that arrive while it
 * runs form the next statement. When a statement fails because of one of its calls, each call is run alone.
 */
export class Batch<Command, Answer> {
	readonly #run: RunGroup<Command, Answer>;
	readonly #address: string;
	#waiting: Waiting<Command, Answer>[] = [];
	#isRunning = false;
	#idle: (() => void)[] = [];

	constructor(address: string, run: RunGroup<Command, Answer>) {
		this.#address = address;
		this.#run = run;
	}

	/** Resolves with the answer once its transaction has committed. */
	call(command: Command): Promise<Answer> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ command, resolve, reject });
			if (this.#isRunning) return;
			this.#isRunning = true;
			setImmediate(() => void this.#work());
		});
	}

	/** Resolves when no call waits or runs. */
	async settled(): Promise<void> {
		if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
	}

	async #work(): Promise<void> {
		while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, maxCalls));
		this.#isRunning = false;
		for (const wake of this.#idle.splice(0)) wake();
	}

	async #commit(members: readonly Waiting<Command, Answer>[]): Promise<void> {
		try {
			const answers = await this.#run(members.map(({ command }) => command));
			members.forEach(({ resolve }, index) => void resolve(answers[index] as Answer));
		} catch (error) {
			const kind = failureKind(error);
			const mayBeOneCall = members.length > 1 && ['other', 'full'].includes(kind);
			if (mayBeOneCall) for (const member of members) await this.#commit([member]);
			else this.#reject(members, error);
			// The calls that have waited meanwhile have no time left for a statement of their own.
			if (kind === 'timeout') this.#reject(this.#waiting.splice(0), error);
		}
	}

	#reject(members: readonly Waiting<Command, Answer>[], error: unknown): void {
		for (const { reject } of members) reject(toError(error, this.#address));
	}
}
