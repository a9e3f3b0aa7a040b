import type { JobQueue } from '../../contract/jobs/job-queue.ts';
import type { JobStore } from '../../contract/jobs/job-store.ts';
import type { JobSettings } from '../../contract/jobs/settings.ts';
import type { BlobStore } from '../../contract/ports/blob-store.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { EventBus } from '../../contract/ports/event-bus.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { HttpServer } from '../../http/server.ts';
import { JobService } from '../../jobs/jobs.ts';
import { Sweeper } from '../../jobs/sweeper.ts';
import { JobWorker } from '../../jobs/worker.ts';
import { KernelContainer, token, wire } from './container.ts';
import { buildHttp, type HttpPorts, wireHttp } from './http.ts';

const store = token<JobStore>('JobStore');
const queue = token<JobQueue>('JobQueue');
const blobs = token<BlobStore>('BlobStore');
const bus = token<EventBus>('EventBus');
const clock = token<Clock>('Clock');
const log = token<Logger>('Logger');
const settings = token<JobSettings>('JobSettings');
const service = token<JobService>('JobService');
const worker = token<JobWorker>('JobWorker');
const sweeper = token<Sweeper>('Sweeper');

wire(JobService, store, queue, blobs, bus, clock, log, settings);
wire(JobWorker, service, store, queue, blobs, bus, clock, log, settings);
wire(Sweeper, service, store, queue, blobs, clock, log, settings);
wireHttp(clock, log);

/** What backends and config bring for jobs. */
export interface JobPorts {
	readonly store: JobStore;
	readonly queue: JobQueue;
	readonly blobs: BlobStore;
	readonly bus: EventBus;
	readonly settings: JobSettings;
}

/** The running parts of the job machine. */
export interface JobMachine {
	readonly service: JobService;
	readonly worker: JobWorker;
	readonly sweeper: Sweeper;
}

/** The kernel's own classes, wired for one app. */
export class Kernel {
	readonly #container = new KernelContainer();

	constructor(time: Clock, logger: Logger) {
		this.#container.value(clock, time).value(log, logger);
	}

	/** Builds the job machine. */
	jobs(ports: JobPorts): JobMachine {
		this.#container
			.value(store, ports.store)
			.value(queue, ports.queue)
			.value(blobs, ports.blobs)
			.value(bus, ports.bus)
			.value(settings, ports.settings);
		return {
			service: this.#container.build(service, JobService),
			worker: this.#container.build(worker, JobWorker),
			sweeper: this.#container.build(sweeper, Sweeper),
		};
	}

	/** Builds the parts of HTTP once the routes are frozen. */
	http(ports: HttpPorts): HttpServer {
		return buildHttp(this.#container, ports);
	}
}
