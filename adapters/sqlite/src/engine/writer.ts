// The writer thread. It imports nothing of @plinth/core at run time: a thread should not load an HTTP server to write rows.
import { parentPort, workerData } from 'node:worker_threads';
import { jobCommands } from '../jobs/commands.ts';
import { queueCommands } from '../queue/commands.ts';
import { recordCommands } from '../records/commands.ts';
import { busyTimeoutMs, Connection } from './connection.ts';
import { type Failure, toFailure } from './failures.ts';
import { type Command, type Execute, type Outcome, runGroup } from './group.ts';
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

const commands: Commands = { ...jobCommands, ...queueCommands, ...recordCommands };

/** Every write by its name, for the types of the caller's side. */
export type Commands = typeof jobCommands & typeof queueCommands & typeof recordCommands;

const port = parentPort;
if (port) serve((workerData as WriterData).file);

function serve(file: string): void {
	const tell = (message: FromWriter): void => port?.postMessage(message);
	let connection: Connection;
	try {
		connection = new Connection(file);
		prepareFile(connection, busyTimeoutMs);
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
			tell({ outcomes: runGroup(connection, message, execute) });
		}
	});
	tell({ opened: true });
}

const execute: Execute = (connection, { name, input }) => {
	const command = commands[name as keyof Commands] as (
		connection: Connection,
		input: unknown,
	) => unknown;
	return command(connection, input);
};
