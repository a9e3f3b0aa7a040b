import type { ForwardController, ForwardHandler } from '@plinth/core';

/** The callbacks of a handler, in the order in which they come. */
export type Moment = 'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd';

/** A handler that keeps what it is told. */
export class Told implements ForwardHandler {
	/** Names of the callbacks; of several pieces in a row, one. */
	readonly moments: string[] = [];
	controller: ForwardController | undefined;
	status = 0;
	error: Error | undefined;
	readonly #chunks: Buffer[] = [];
	/** Called in each callback, behind what it keeps. */
	readonly #meanwhile: (moment: Moment, controller: ForwardController) => void;
	readonly #end = Promise.withResolvers<this>();

	constructor(meanwhile: (moment: Moment, controller: ForwardController) => void = () => {}) {
		this.#meanwhile = meanwhile;
	}

	/** Resolves when the answer is over, also when it has failed. */
	get over(): Promise<this> {
		return this.#end.promise;
	}

	get body(): string {
		return Buffer.concat(this.#chunks).toString('latin1');
	}

	onRequestStart(controller: ForwardController): void {
		this.controller = controller;
		this.#tell('onRequestStart', controller);
	}

	onResponseStart(controller: ForwardController, status: number): void {
		this.status = status;
		this.#tell('onResponseStart', controller);
	}

	onResponseData(controller: ForwardController, chunk: Buffer): void {
		this.#chunks.push(Buffer.from(chunk));
		this.#tell('onResponseData', controller);
	}

	onResponseEnd(controller: ForwardController): void {
		this.#tell('onResponseEnd', controller);
		this.#end.resolve(this);
	}

	onResponseError(_: ForwardController, error: Error): void {
		this.moments.push('onResponseError');
		this.error = error;
		this.#end.resolve(this);
	}

	#tell(moment: Moment, controller: ForwardController): void {
		if (this.moments.at(-1) !== moment) this.moments.push(moment);
		this.#meanwhile(moment, controller);
	}
}
