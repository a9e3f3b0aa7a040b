import { silentLogger } from '@plinth/core/testing';
import { command } from '../src/index.ts';
import { video, videoRun } from './harness.ts';

/** A server in a process of its own, to be killed: it runs the program that its arguments are. */
const { definition } = command.video;
const model = await definition.create({
	id: 'killed',
	config: definition.config.parse({ protocol: 'json', argv: process.argv.slice(2) }),
	services: { clock: { now: Date.now, after: () => () => {} } } as never,
	log: silentLogger(),
	onStop: () => {},
});
await model.generate(video, videoRun());
