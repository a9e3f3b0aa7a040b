// The writer thread. It imports nothing of @plinth/core at run time: a thread should not load an HTTP server to
// write rows.
import { parentPort, workerData } from 'node:worker_threads';
import { jobCommands } from '../jobs/commands.ts';
import { recordCommands } from '../records/commands.ts';
import { busyTimeoutMs, Connection } from './connection.ts';
import { type Failure, toFailure } from './failures.ts';
import { restartLog, runOnFullDisk } from './full-disk.ts';
import type { Command, Execute, Outcome } from './group.ts';
import { Reserve } from './reserve.ts';
import { prepareFile } from './schema.ts';

/** What the thread is started with. */
export interface WriterData {
	readonly file: string;
}

/** What the thread is told: a group to commit, or to close the file and end. */
export type ToWriter = readonly Command[] | 'close';

/** What the thread tells: how opening went, then the outcomes of each group in the order of its commands. */
export type FromWriter =
	| { readonly opened: true }
	| { readonly opened: false; readonly failure: Failure }
	| { readonly outcomes: readonly Outcome[] };

/** A process that is gone before has no need of a reserve. */
const reserveAfterMs = 1_000;

const commands: Commands = { ...jobCommands, ...recordCommands };

/** Every write by its name, for the types of the caller's side. */
export type Commands = typeof jobCommands & typeof recordCommands;

const port = parentPort;
if (port) serve((workerData as WriterData).file);

function serve(file: string): void {
	const tell = (message: FromWriter): void => port?.postMessage(message);
	const reserve = new Reserve(file);
	let connection: Connection;
	try {
		connection = open(file, reserve);
	} catch (error) {
		tell({ opened: false, failure: toFailure(error) });
		port?.close();
		return;
	}
	port?.on('message', (message: ToWriter) => {
		if (message === 'close') {
			connection.close();
			port?.close();
		} else {
			tell({ outcomes: runOnFullDisk(connection, message, execute, reserve, mayUseReserve) });
		}
	});
	tell({ opened: true });
	// Not while opening: the first commit would wait until all of it is on the disk.
	setTimeout(() => reserve.restore(), reserveAfterMs).unref();
}

/**
 * Opens the file. A disk that is full already must not keep a server from starting: what frees room goes through
 * it.
 */
function open(file: string, reserve: Reserve): Connection {
	try {
		return prepared(file);
	} catch (error) {
		if (!['full', 'unavailable'].includes(toFailure(error).kind)) throw error;
		reserve.release();
		const connection = prepared(file);
		restartLog(connection);
		return connection;
	}
}

function prepared(file: string): Connection {
	const connection = new Connection(file);
	try {
		prepareFile(connection, busyTimeoutMs);
		return connection;
	} catch (error) {
		connection.close();
		throw error;
	}
}

const deletions = ['jobs.cancel', 'jobs.remove', 'jobs.swept', 'jobs.tidy', 'records.delete'];
const attempts = ['jobs.heartbeat', 'jobs.complete', 'jobs.fail', 'jobs.release'];
const modest: ReadonlySet<string> = new Set([...deletions, ...attempts]);
const mayUseReserve = ({ name }: Command): boolean => modest.has(name);

const execute: Execute = (connection, { name, input }) => {
	const command = commands[name as keyof Commands] as (connection: Connection, input: unknown) => unknown;
	return command(connection, input);
};
