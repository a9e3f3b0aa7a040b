import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { type HttpOptions, HttpServer } from '../../http/server.ts';
import { Housekeeping } from '../../jobs/housekeeping.ts';
import { JobService } from '../../jobs/jobs.ts';
import type { JobTools } from '../../jobs/tools.ts';
import { JobWorker } from '../../jobs/worker.ts';
import { KernelContainer, token, wire } from './container.ts';

const clock = token<Clock>('Clock');
const log = token<Logger>('Logger');
const tools = token<JobTools>('JobTools');
const http = token<HttpOptions>('HttpOptions');
const service = token<JobService>('JobService');
const worker = token<JobWorker>('JobWorker');
const housekeeping = token<Housekeeping>('Housekeeping');
const server = token<HttpServer>('HttpServer');

wire(JobService, tools);
wire(JobWorker, service, tools);
wire(Housekeeping, tools);
wire(HttpServer, http);

/** The running parts of the job machine. */
export interface JobMachine {
	readonly service: JobService;
	readonly worker: JobWorker;
	readonly housekeeping: Housekeeping;
}

/** The kernel's own classes, wired for one app. */
export class Kernel {
	readonly #container = new KernelContainer();
	readonly #clock: Clock;
	readonly #log: Logger;

	constructor(time: Clock, logger: Logger) {
		this.#clock = time;
		this.#log = logger;
		this.#container.value(clock, time).value(log, logger);
	}

	/** Builds the job machine on what backends and config bring. */
	jobs(ports: Omit<JobTools, 'clock' | 'log'>): JobMachine {
		this.#container.value(tools, { ...ports, clock: this.#clock, log: this.#log });
		return {
			service: this.#container.build(service, JobService),
			worker: this.#container.build(worker, JobWorker),
			housekeeping: this.#container.build(housekeeping, Housekeeping),
		};
	}

	/** Builds the HTTP server once the routes are frozen. */
	http(options: HttpOptions): HttpServer {
		return this.#container.value(http, options).build(server, HttpServer);
	}
}
