import { startReceiver } from './receiver.ts';
import { createSharedStores, type EndOptions, endpointAt } from './shared-stores.ts';

/** Starts a process with one endpoint, which is a receiver. */
export async function startProcess(waits?: readonly number[]) {
	const setup = await createSharedStores(waits ? { waits } : {});
	const receiver = await startReceiver();
	const machine = setup.createProcess();
	const endpoint = await endpointAt(machine, receiver.url);
	await machine.start();
	/** Ends a job one second later, and publishes the event. */
	const endJob = async (how?: EndOptions) => {
		setup.clock.jump(1_000);
		const id = await setup.end(how);
		machine.wake();
		return id;
	};
	return { setup, receiver, machine, endpoint, ended: endJob };
}
