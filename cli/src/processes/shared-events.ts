import { type BackendInstance, type BusEvent, defineBackend, type EventBus, services } from '@plinth/core';
import { memoryEvents } from '@plinth/memory';
import { LocalBus } from '@plinth/toolkit';

/** Replaces each event bus that is limited to one process by a bus that spans all processes of this server. */
export function shareEvents(backends: Readonly<Record<string, BackendInstance>>): Record<string, BackendInstance> {
	const entries = Object.entries(backends).map(([id, backend]) => {
		const isLocal = backend.definition === memoryEvents.definition;
		return [id, isLocal ? sharedEvents() : backend] as const;
	});
	return Object.fromEntries(entries);
}

/** A local event bus that also sends its events to the parent process, which forwards them to the other children. */
const sharedEvents = defineBackend({
	name: 'sharedEvents',
	provides: services.events,
	config: memoryEvents.definition.config,
	create({ log, onStop }): EventBus {
		const local = new LocalBus(log);
		const receive = (message: { readonly busEvent?: BusEvent }) => {
			if (message.busEvent) local.publish(message.busEvent);
		};
		process.on('message', receive);
		onStop(() => {
			process.off('message', receive);
		});
		return {
			publish(event) {
				local.publish(event);
				if (process.connected) process.send?.({ busEvent: event });
			},
			subscribe: (filter, handler) => local.subscribe(filter, handler),
		};
	},
});
