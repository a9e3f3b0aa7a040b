import { asking, chatModel, response } from './models.ts';

/** A child process that loads a model and waits until it is killed. Its argument is the model. */
const [, , folder = '', file = ''] = process.argv;
const { model } = await chatModel(folder, { file });
await response(model, asking('Hello', { maxTokens: 2 }));
console.log('ready');
