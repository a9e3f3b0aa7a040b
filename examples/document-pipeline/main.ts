import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import OpenAI from 'openai';
import { memoOf } from './pipeline.ts';

// node main.ts report.pdf figures.xlsx -- 'What was decided?' 'Who pays?'
const given = process.argv.slice(2);
const divider = given.indexOf('--');
const files = divider < 0 ? given : given.slice(0, divider);
const questions = divider < 0 ? ['What was decided?'] : given.slice(divider + 1);

const client = new OpenAI({
	baseURL: process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:8080/v1',
});
const sources = files.map(async (file) => {
	const data = (await readFile(file)).toString('base64');
	return { filename: basename(file), url: `data:application/octet-stream;base64,${data}` };
});
console.log(await memoOf(client, 'builtin-chat', await Promise.all(sources), questions));
