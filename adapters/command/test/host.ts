import { createModel } from '@plinth/testing';
import { command } from '../src/index.ts';
import { video, videoRun } from './harness.ts';

/** A server in a process of its own, to be killed: it runs the program that its arguments are. */
const { model } = await createModel(command.video({ protocol: 'json', argv: process.argv.slice(2) }));
await model.generate(video, videoRun());
