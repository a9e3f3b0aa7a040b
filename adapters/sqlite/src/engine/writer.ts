// The writer thread. It imports nothing of @plinth/core at run time, because that would load an HTTP server into the
// thread.
import { parentPort, workerData } from 'node:worker_threads';
import { jobCommands } from '../jobs/commands.ts';
import { recordCommands } from '../records/commands.ts';
import { busyTimeoutMs, Connection } from './connection.ts';
import { type Failure, toFailure } from './failures.ts';
import { restartLog, runOnFullDisk } from './full-disk.ts';
import type { Command, Execute, Outcome } from './group.ts';
import { Reserve } from './reserve.ts';
import { prepareFile } from './schema.ts';

/** The data that the thread is started with. */
export interface WriterData {
	readonly file: string;
}

/** A message to the thread: a group to commit, or `close` to close the file and end. */
export type ToWriter = readonly Command[] | 'close';

/** A message of the thread: first whether it opened the file, then the outcomes of each group in command order. */
export type FromWriter =
	| { readonly opened: true }
	| { readonly opened: false; readonly failure: Failure }
	| { readonly outcomes: readonly Outcome[] };

/** Delay until the reserve is created. A process that ends earlier does not need it. */
const reserveAfterMs = 1_000;

const commands: Commands = { ...jobCommands, ...recordCommands };

/** Every write by its name, for the types of the caller. */
export type Commands = typeof jobCommands & typeof recordCommands;

const port = parentPort;
if (port) serve((workerData as WriterData).file);

function serve(file: string): void {
	const send = (message: FromWriter): void => port?.postMessage(message);
	const reserve = new Reserve(file);
	let connection: Connection;
	try {
		connection = open(file, reserve);
	} catch (error) {
		send({ opened: false, failure: toFailure(error) });
		port?.close();
		return;
	}
	port?.on('message', (message: ToWriter) => {
		if (message === 'close') {
			connection.close();
			port?.close();
		} else {
			send({ outcomes: runOnFullDisk(connection, message, execute, reserve, mayUseReserve) });
		}
	});
	send({ opened: true });
	// Not while opening, because the first commit would wait until the whole reserve is on the disk.
	setTimeout(() => reserve.restore(), reserveAfterMs).unref();
}

/**
 * Opens the file. A server must start even on a full disk, because the commands that free space go through the
 * server.
 */
function open(file: string, reserve: Reserve): Connection {
	try {
		return openPrepared(file);
	} catch (error) {
		if (!['full', 'unavailable'].includes(toFailure(error).kind)) throw error;
		reserve.release();
		const connection = openPrepared(file);
		restartLog(connection);
		return connection;
	}
}

function openPrepared(file: string): Connection {
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
const reserveCommands: ReadonlySet<string> = new Set([...deletions, ...attempts]);
const mayUseReserve = ({ name }: Command): boolean => reserveCommands.has(name);

const execute: Execute = (connection, { name, input }) => {
	const command = commands[name as keyof Commands] as (connection: Connection, input: unknown) => unknown;
	return command(connection, input);
};
