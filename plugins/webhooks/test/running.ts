import { startReceiver } from './receiver.ts';
import { type EndOptions, endpointAt, stand } from './stand.ts';

/** A stand with a running process and one endpoint at a receiver. */
export async function running(waits?: readonly number[]) {
	const setup = await stand(waits ? { waits } : {});
	const receiver = await startReceiver();
	const machine = setup.machine();
	const endpoint = await endpointAt(machine, receiver.url);
	await machine.start();
	/** Ends a job a second later, and wakes the consumer. */
	const ended = async (how?: EndOptions) => {
		setup.clock.jump(1_000);
		const id = await setup.end(how);
		machine.wake();
		return id;
	};
	return { setup, receiver, machine, endpoint, ended };
}
