import { failureKind, toError } from '../errors.ts';

/** Runs calls as one statement. One answer each, in their order. */
export type RunGroup<Command, Answer> = (commands: readonly Command[]) => Promise<readonly Answer[]>;

interface Waiting<Command, Answer> {
	readonly command: Command;
	resolve(answer: Answer): void;
	reject(error: unknown): void;
}

/** A commit that takes longer than it should must not gather more than the next statement can do in time. */
const most = 200;

/**
 * Gathers the calls of one turn of the event loop into one statement, which is one transaction; what arrives while it
 * runs forms the next.
 * When a group fails as a whole because of one of its members, each is run alone.
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

	/** Resolves when nothing waits. */
	async settled(): Promise<void> {
		if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
	}

	async #work(): Promise<void> {
		while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, most));
		this.#isRunning = false;
		for (const wake of this.#idle.splice(0)) wake();
	}

	async #commit(members: readonly Waiting<Command, Answer>[]): Promise<void> {
		try {
			const answers = await this.#run(members.map(({ command }) => command));
			members.forEach(({ resolve }, index) => void resolve(answers[index] as Answer));
		} catch (error) {
			const kind = failureKind(error);
			const isOfOne = members.length > 1 && ['other', 'full'].includes(kind);
			if (isOfOne) for (const member of members) await this.#commit([member]);
			else this.#reject(members, error);
			// What has waited meanwhile has no time left for a wait of its own.
			if (kind === 'timeout') this.#reject(this.#waiting.splice(0), error);
		}
	}

	#reject(members: readonly Waiting<Command, Answer>[], error: unknown): void {
		for (const { reject } of members) reject(toError(error, this.#address));
	}
}
