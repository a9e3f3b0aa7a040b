import { plinthError } from '../contract/errors/coded-error.ts';
import type { Exchange } from './exchange.ts';
import { UnorderedList } from './unordered-list.ts';

/** The exchanges that are not over, whoever carries them: a listener, a host or `fetch`. */
export class InFlight {
	readonly #exchanges = new UnorderedList<Exchange>();
	#waiting: (() => void)[] = [];

	get size(): number {
		return this.#exchanges.size;
	}

	add(exchange: Exchange): void {
		this.#exchanges.add(exchange);
	}

	remove(exchange: Exchange): void {
		this.#exchanges.delete(exchange);
		if (this.#exchanges.size > 0) return;
		for (const wake of this.#waiting) wake();
		this.#waiting = [];
	}

	/** Resolves at the next moment in which nothing is in flight. */
	drained(): Promise<void> {
		if (this.#exchanges.size === 0) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	/** Aborts every signal; clients that still wait read `E_STOPPING`. */
	abortAll(): void {
		for (const exchange of this.#exchanges.all()) exchange.abort(plinthError('E_STOPPING'));
	}
}
