import type { Clock, JobStore, Logger, RecordStore } from '@plinth/core';
import type { Egress } from '@plinth/toolkit';
import { DueList } from '../deliveries/due.ts';
import { Deliveries } from '../deliveries/store.ts';
import { Endpoints } from '../endpoints/store.ts';
import { Consumer } from './consumer.ts';
import { Courier } from './courier.ts';
import { Dispatcher } from './dispatcher.ts';
import { createPurger } from './purger.ts';
import type { Schedule } from './schedule.ts';
import { Sender } from './sender.ts';

/** What sending webhooks needs around it. */
export interface MachineTools {
	readonly jobs: JobStore;
	readonly records: RecordStore;
	readonly egress: Egress;
	readonly schedule: Schedule;
	readonly clock: Clock;
	readonly log: Logger;
}

/** The parts that turn ends of jobs into requests, wired together. */
export class Machine {
	readonly endpoints: Endpoints;
	readonly deliveries: Deliveries;
	readonly sender: Sender;
	readonly dispatcher: Dispatcher;
	readonly consumer: Consumer;
	readonly #purger: ReturnType<typeof createPurger>;

	constructor({ jobs, records, egress, schedule, clock, log }: MachineTools) {
		const due = new DueList(records);
		this.endpoints = new Endpoints(records, clock);
		this.deliveries = new Deliveries(records, due, clock);
		this.sender = new Sender(egress, clock);
		const { endpoints, deliveries, sender } = this;
		const courier = new Courier({ deliveries, endpoints, sender, schedule, clock, log });
		this.dispatcher = new Dispatcher({ due, deliveries, courier, clock, log });
		const planned = (lines: Iterable<string>) => this.dispatcher.wake(lines);
		this.consumer = new Consumer({ jobs, records, endpoints, deliveries, clock, log, planned });
		this.#purger = createPurger({ due, deliveries, clock, log });
	}

	/** Begins to read events, to send and to tidy up. */
	start(): void {
		this.consumer.start();
		this.dispatcher.start();
		this.#purger.start();
	}

	/** Ends all work that is under way. What was being sent is sent again at the next start. */
	async stop(): Promise<void> {
		await Promise.all([this.consumer.stop(), this.dispatcher.stop(), this.#purger.stop()]);
	}
}
