import type { ModelHealth } from '../contract/model.ts';
import type { Clock } from '../contract/ports/clock.ts';

/** When a model is left alone, and for how long. */
export interface CircuitSettings {
	/** Turns in a row that fail. */
	readonly failures: number;
	/** Until it gets a trial. */
	readonly seconds: number;
}

/** What holds for models that have somewhere else to go: 5 failures in a row, 30 seconds. */
export const defaultCircuit: CircuitSettings = { failures: 5, seconds: 30 };

/** What a turn says of its model. `unknown`: nothing, since the caller was at fault, or has left. */
export type TurnEnd = 'answered' | 'failed' | 'unknown';

/** Who is told when the circuit opens and when it closes; not of each trial that fails. */
export interface CircuitWatch {
	opened(): void;
	closed(): void;
}

/** Leaves a model alone while it keeps failing: a circuit breaker, with one trial at a time once the wait is over. */
export class Circuit {
	readonly #settings: CircuitSettings;
	readonly #clock: Clock;
	readonly #watch: CircuitWatch;
	#health: ModelHealth = 'up';
	#failed = 0;
	#isTrialUnderWay = false;
	/** When the next trial may be, in milliseconds since the epoch. */
	#trialAt = 0;
	/** Goes up with every change, so that the ends of turns from before it are told apart. */
	#round = 1;

	constructor(settings: CircuitSettings, clock: Clock, watch: CircuitWatch) {
		this.#settings = settings;
		this.#clock = clock;
		this.#watch = watch;
	}

	/** How the model does. */
	get health(): ModelHealth {
		return this.#health;
	}

	/** Whether a turn may begin now. */
	get admits(): boolean {
		return this.#health === 'up' || (this.#health === 'trying' && !this.#isTrialUnderWay);
	}

	/** Milliseconds until a turn may begin, as far as is known. */
	get waitMs(): number {
		return this.#health === 'down' ? Math.max(0, this.#trialAt - this.#clock.now()) : 0;
	}

	/** Begins a turn and returns what `end` wants to know of it. To be called only while it `admits`. */
	begin(): number {
		if (this.#health === 'trying') this.#isTrialUnderWay = true;
		return this.#round;
	}

	/** Says how a turn has ended. What began before the circuit opened or closed says nothing any more. */
	end(round: number, end: TurnEnd): void {
		if (round !== this.#round) return;
		if (this.#health === 'trying') this.#endTrial(end);
		else if (end === 'answered') this.#failed = 0;
		else if (end === 'failed') {
			this.#failed += 1;
			if (this.#failed < this.#settings.failures) return;
			this.#open();
			this.#watch.opened();
		}
	}

	#endTrial(end: TurnEnd): void {
		this.#isTrialUnderWay = false;
		this.#round += 1;
		if (end === 'failed') this.#open();
		if (end !== 'answered') return;
		this.#health = 'up';
		this.#failed = 0;
		this.#watch.closed();
	}

	#open(): void {
		const ms = this.#settings.seconds * 1000;
		this.#health = 'down';
		this.#round += 1;
		this.#trialAt = this.#clock.now() + ms;
		// By a timer and not by the time of day, which may be set back.
		this.#clock.after(ms, () => {
			this.#health = 'trying';
		});
	}
}
