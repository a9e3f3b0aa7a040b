import { createModel } from '@plinth/testing';
import { command } from '../src/index.ts';
import { video, videoRun } from './harness.ts';

/** A server in its own process, which a test kills. It runs the program in its arguments. */
const { model } = await createModel(command.video({ protocol: 'json', argv: process.argv.slice(2) }));
await model.generate(video, videoRun());
