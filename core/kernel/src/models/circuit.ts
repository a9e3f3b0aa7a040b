import type { ModelHealth } from '../contract/model.ts';
import type { Clock } from '../contract/ports/clock.ts';

/** When a circuit opens, and for how long. */
export interface CircuitSettings {
	/** Failed calls in a row that open it. */
	readonly failures: number;
	/** How long it stays open before a trial call. */
	readonly seconds: number;
}

/** The default for models that have another model to go to: 5 failures in a row, 30 seconds. */
export const defaultCircuit: CircuitSettings = { failures: 5, seconds: 30 };

/** What a call says of its model. `unknown`: nothing, since the request was wrong or the caller has left. */
export type CallOutcome = 'answered' | 'failed' | 'unknown';

/** A circuit breaker: while it is open, its model is not called; then one trial call at a time may close it. */
export class Circuit {
	readonly #settings: CircuitSettings;
	readonly #clock: Clock;
	readonly #onChange: (isOpen: boolean) => void;
	#health: ModelHealth = 'up';
	#failed = 0;
	#isTrialUnderWay = false;
	/** When the next trial may begin, in milliseconds since the epoch. */
	#trialAt = 0;
	/** Goes up with every change, so that calls from before a change are told apart. */
	#epoch = 1;

	/** `onChange` is called when it opens and when it closes; not for each trial that fails. */
	constructor(settings: CircuitSettings, clock: Clock, onChange: (isOpen: boolean) => void) {
		this.#settings = settings;
		this.#clock = clock;
		this.#onChange = onChange;
	}

	/** The health of the model. */
	get health(): ModelHealth {
		return this.#health;
	}

	/** Whether a call may begin now. */
	get allowsCall(): boolean {
		return this.#health === 'up' || (this.#health === 'trying' && !this.#isTrialUnderWay);
	}

	/** Milliseconds until a call may begin, as far as is known. */
	get waitMs(): number {
		return this.#health === 'down' ? Math.max(0, this.#trialAt - this.#clock.now()) : 0;
	}

	/** Begins a call and returns the epoch for `end`. To be called only while it `allowsCall`. */
	begin(): number {
		if (this.#health === 'trying') this.#isTrialUnderWay = true;
		return this.#epoch;
	}

	/** Ends a call. The outcome of a call from before the circuit opened or closed is ignored. */
	end(epoch: number, outcome: CallOutcome): void {
		if (epoch !== this.#epoch) return;
		if (this.#health === 'trying') this.#endTrial(outcome);
		else if (outcome === 'answered') this.#failed = 0;
		else if (outcome === 'failed') {
			this.#failed += 1;
			if (this.#failed < this.#settings.failures) return;
			this.#open();
			this.#onChange(true);
		}
	}

	#endTrial(outcome: CallOutcome): void {
		this.#isTrialUnderWay = false;
		this.#epoch += 1;
		if (outcome === 'failed') this.#open();
		if (outcome !== 'answered') return;
		this.#health = 'up';
		this.#failed = 0;
		this.#onChange(false);
	}

	#open(): void {
		const ms = this.#settings.seconds * 1000;
		this.#health = 'down';
		this.#epoch += 1;
		this.#trialAt = this.#clock.now() + ms;
		// A timer, because the time of day may be set back.
		this.#clock.after(ms, () => {
			this.#health = 'trying';
		});
	}
}
