import type { ModelHealth } from '../contract/model.ts';
import type { defaultCircuit } from '../contract/model-settings.ts';
import type { Clock } from '../contract/ports/clock.ts';

/** The result of a call for the circuit. `unknown`: the request was wrong or the caller has disconnected. */
export type CallOutcome = 'answered' | 'failed' | 'unknown';

/** A circuit breaker: while it is open, its model is not called; then one trial call at a time may close it. */
export class Circuit {
	readonly #settings: typeof defaultCircuit;
	readonly #clock: Clock;
	readonly #onChange: (isOpen: boolean) => void;
	#health: ModelHealth = 'up';
	#failureCount = 0;
	#isTrialUnderWay = false;
	/** When the next trial may begin, in milliseconds since the epoch. */
	#trialAt = 0;
	/** Increases with every change, so that calls from before a change can be recognised. */
	#epoch = 1;

	/** Opens after `failures` failed calls in a row, for `seconds`. A failed trial does not call `onChange`. */
	constructor(settings: typeof defaultCircuit, clock: Clock, onChange: (isOpen: boolean) => void) {
		this.#settings = settings;
		this.#clock = clock;
		this.#onChange = onChange;
	}

	get health(): ModelHealth {
		return this.#health;
	}

	get allowsCall(): boolean {
		return this.#health === 'up' || (this.#health === 'trying' && !this.#isTrialUnderWay);
	}

	/** Milliseconds until a call may begin; 0 unless the circuit is open. */
	get waitMs(): number {
		return this.#health === 'down' ? Math.max(0, this.#trialAt - this.#clock.now()) : 0;
	}

	/** Begins a call and returns the epoch for `end`. Only allowed while `allowsCall` is true. */
	begin(): number {
		if (this.#health === 'trying') this.#isTrialUnderWay = true;
		return this.#epoch;
	}

	/** Ends a call. The outcome of a call from before the circuit opened or closed is ignored. */
	end(epoch: number, outcome: CallOutcome): void {
		if (epoch !== this.#epoch) return;
		if (this.#health === 'trying') this.#endTrial(outcome);
		else if (outcome === 'answered') this.#failureCount = 0;
		else if (outcome === 'failed') {
			this.#failureCount += 1;
			if (this.#failureCount < this.#settings.failures) return;
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
		this.#failureCount = 0;
		this.#onChange(false);
	}

	#open(): void {
		const ms = this.#settings.seconds * 1000;
		this.#health = 'down';
		this.#epoch += 1;
		this.#trialAt = this.#clock.now() + ms;
		// A timer, because the wall clock may be set back.
		this.#clock.after(ms, () => {
			this.#health = 'trying';
		});
	}
}
