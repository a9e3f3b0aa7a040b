import { answer, asking, chatModel } from './models.ts';

/** A server in a process of its own, to be killed: it loads the model that its arguments are, and stays. */
const [, , folder = '', file = ''] = process.argv;
const { model } = await chatModel(folder, { file });
await answer(model, asking('Hello', { maxTokens: 2 }));
console.log('ready');
