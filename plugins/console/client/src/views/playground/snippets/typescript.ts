import { type Call, textOf } from '../call/call.ts';
import type { CapabilityId } from '../spec/capabilities.ts';
import type { Base } from './curl.ts';
import { type Dialect, extensionOf, literal, nameOf, quoted } from './literal.ts';
import { isKnown, type SdkCall, sdkCalls } from './sdk.ts';

const dialect: Dialect = {
	words: { true: 'true', false: 'false', null: 'null' },
	text: quoted,
	// A computed `__proto__` is an ordinary property.
	name: (name) => (/^[a-z_]\w*$/i.test(name) && name !== '__proto__' ? name : `[${quoted(name)}]`),
	file: ({ file, prefix }) => `${quoted(prefix)} + readFileSync(${quoted(nameOf(file))}, "base64")`,
	indent: '  ',
	hasLastComma: true,
};

/** A call with OpenAI's SDK for TypeScript. The key is in the variable `PLINTH_API_KEY`. */
export function typescriptOf(base: Base, id: CapabilityId, call: Call): string {
	const body = bodyOf(base, id, call);
	const read = ['createReadStream', 'readFileSync', 'writeFileSync'].filter((name) => body.includes(`${name}(`));
	const client = `const client = new OpenAI({
  baseURL: ${quoted(`${base}/v1`)},
  apiKey: process.env.PLINTH_API_KEY,
});`;
	return [
		...(read.length > 0 ? [`import { ${read.join(', ')} } from "node:fs";`] : []),
		...(body.includes('setTimeout(') ? ['import { setTimeout } from "node:timers/promises";'] : []),
		'import OpenAI from "openai";',
		'',
		client,
		'',
		body,
		'',
	].join('\n');
}

function bodyOf(base: Base, id: CapabilityId, call: Call): string {
	const sdk = sdkCalls[id];
	if (!sdk.method) return uploadOf(base, call);
	const expression = `await client.${sdk.method.typescript}(${argumentsOf(call, sdk)})`;
	const [before, after] = resultCodes[id](call);
	return `${before} = ${expression};${after}`;
}

/** The parameters as an object. Files are read from the disk. */
function argumentsOf({ fields, files }: Call, sdk: SdkCall): string {
	const opened = [...new Set(files.map(({ name }) => name))].map((name) => {
		const attached = files.filter((each) => each.name === name);
		const read = attached.map(({ file }) => `createReadStream(${quoted(nameOf(file))})`);
		return `${dialect.name(name)}: ${read.length > 1 ? `[${read.join(', ')}]` : read[0]},`;
	});
	const entries = Object.entries(fields).map(([name, value]) => {
		const isTyped = isKnown(sdk, name) && (sdk.typed?.[name]?.includes(String(value)) ?? true);
		const note = isTyped ? '' : '// @ts-expect-error: OpenAI does not have this.\n  ';
		return `${note}${dialect.name(name)}: ${literal(value, dialect, 1)},`;
	});
	return `{\n  ${[...opened, ...entries].join('\n  ')}\n}`;
}

type ResultCode = (call: Call) => readonly [before: string, after: string];

const pictures: ResultCode = (call) => {
	const { fields } = call;
	const name = `picture-\${count++}.${extensionOf(call, 'output_format', 'png')}`;
	if (fields.stream === true) {
		return [
			'let count = 1;\nconst stream',
			`
for await (const event of stream) {
  console.log(event.type);
  if (event.type.endsWith(".completed")) writeFileSync(\`${name}\`, event.b64_json, "base64");
}`,
		];
	}
	if (fields.response_format === 'url')
		return ['const answer', '\nfor (const { url } of answer.data ?? []) console.log(url);'];
	return [
		'let count = 1;\nconst answer',
		`
for (const { b64_json } of answer.data ?? []) writeFileSync(\`${name}\`, b64_json ?? "", "base64");`,
	];
};

const resultCodes: Readonly<Record<CapabilityId, ResultCode>> = {
	video: () => [
		'let video',
		`
while (video.status === "queued" || video.status === "in_progress") {
  await setTimeout(2_000);
  video = await client.videos.retrieve(video.id);
}
if (video.error) throw new Error(video.error.message);
const content = await client.videos.downloadContent(video.id);
writeFileSync("video.mp4", Buffer.from(await content.arrayBuffer()));`,
	],
	image: pictures,
	edit: pictures,
	chat: ({ fields }) =>
		fields.stream === true
			? [
					'const stream',
					'\nfor await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "");',
				]
			: ['const answer', '\nconsole.log(answer.choices[0]?.message.content);'],
	speech: (call) => [
		'const answer',
		`\nwriteFileSync("speech.${extensionOf(call, 'response_format', 'mp3')}", Buffer.from(await answer.arrayBuffer()));`,
	],
	transcription: ({ fields }) =>
		fields.stream === true
			? ['const stream', '\nfor await (const event of stream) console.log(event);']
			: ['const answer', '\nconsole.log(answer);'],
	documents: () => ['const answer', '\nconsole.log(answer);'],
};

/** The SDK has no method for documents. */
function uploadOf(base: Base, { path, fields, files }: Call): string {
	const texts = Object.entries(fields).map(
		([name, value]) => `form.append(${quoted(name)}, ${quoted(textOf(value))});`,
	);
	const attached = files.map(({ name, file }) => {
		const path = quoted(nameOf(file));
		return `form.append(${quoted(name)}, new File([readFileSync(${path})], ${path}));`;
	});
	return `const form = new FormData();
${[...attached, ...texts].join('\n')}
const answer = await client.post(${quoted(base + path)}, { body: form });
console.log(JSON.stringify(answer, null, 2));`;
}
