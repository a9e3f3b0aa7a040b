import type { Call, Json } from '../call/call.ts';
import type { CapabilityId } from '../spec/capabilities.ts';
import type { Base } from './curl.ts';
import { type Dialect, extensionOf, literal, nameOf, quoted } from './literal.ts';
import { isKnown, type SdkCall, sdkCalls } from './sdk.ts';

const dialect: Dialect = {
	words: { true: 'True', false: 'False', null: 'None' },
	text: quoted,
	name: quoted,
	file: ({ file, prefix }) =>
		`${quoted(prefix)} + base64.b64encode(open(${quoted(nameOf(file))}, "rb").read()).decode()`,
	indent: '    ',
	hasLastComma: true,
};

/** A call with OpenAI's SDK for Python. The key is in the variable `PLINTH_API_KEY`. */
export function pythonOf(base: Base, id: CapabilityId, call: Call): string {
	const body = bodyOf(base, id, call);
	return [
		...(/\bbase64\.b64/.test(body) ? ['import base64'] : []),
		'import os',
		'',
		'from openai import OpenAI',
		'',
		'client = OpenAI(',
		`    base_url=${quoted(`${base}/v1`)},`,
		'    api_key=os.environ["PLINTH_API_KEY"],',
		')',
		'',
		body,
		'',
	].join('\n');
}

function bodyOf(base: Base, id: CapabilityId, call: Call): string {
	const sdk = sdkCalls[id];
	if (!sdk.method) return uploadOf(base, call);
	const [name, after] = resultCodes[id](call);
	return `${name} = client.${sdk.method.python}(${argumentsOf(call, sdk)})${after}`;
}

/** The parameters as keyword arguments. Those that the SDK does not know are in `extra_body`. */
function argumentsOf({ fields, files }: Call, sdk: SdkCall): string {
	const entries = Object.entries(fields);
	const extra = Object.fromEntries(entries.filter(([name]) => !isKnown(sdk, name)));
	const lines = [
		...[...new Set(files.map(({ name }) => name))].map((name) => `${name}=${openedOf(files, name)}`),
		...entries.filter(([name]) => isKnown(sdk, name)).map(([name, value]) => `${name}=${literal(value, dialect, 1)}`),
		...(Object.keys(extra).length > 0 ? [`extra_body=${literal(extra, dialect, 1)}`] : []),
	];
	return lines.length === 0 ? '' : `\n    ${lines.join(',\n    ')},\n`;
}

function openedOf(files: Call['files'], name: string): string {
	const opened = files.filter((each) => each.name === name).map(({ file }) => `open(${quoted(nameOf(file))}, "rb")`);
	return opened.length > 1 ? `[${opened.join(', ')}]` : (opened[0] ?? 'None');
}

type ResultCode = (call: Call) => readonly [name: string, after: string];

const pictures: ResultCode = (call) => {
	const { fields } = call;
	const name = `f"picture-{count}.${extensionOf(call, 'output_format', 'png')}"`;
	const write = (source: string) => `    with open(${name}, "wb") as file:
        file.write(base64.b64decode(${source}.b64_json))`;
	if (fields.stream === true) {
		return [
			'stream',
			`
count = 0
for event in stream:
    print(event.type)
    if event.type.endswith(".completed"):
        count += 1
${write('event').replace(/^/gm, '    ')}`,
		];
	}
	if (fields.response_format === 'url') return ['answer', '\nfor picture in answer.data:\n    print(picture.url)'];
	return ['answer', `\nfor count, picture in enumerate(answer.data, 1):\n${write('picture')}`];
};

const resultCodes: Readonly<Record<CapabilityId, ResultCode>> = {
	video: () => ['video', '\nclient.videos.download_content(video.id).write_to_file("video.mp4")'],
	image: pictures,
	edit: pictures,
	chat: ({ fields }) =>
		fields.stream === true
			? [
					'stream',
					`
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
				]
			: ['answer', '\nprint(answer.choices[0].message.content)'],
	speech: (call) => ['answer', `\nanswer.write_to_file("speech.${extensionOf(call, 'response_format', 'mp3')}")`],
	transcription: ({ fields }) =>
		fields.stream === true ? ['stream', '\nfor event in stream:\n    print(event)'] : ['answer', '\nprint(answer)'],
	documents: () => ['answer', '\nprint(answer)'],
};

/** The SDK has no method for documents. */
function uploadOf(base: Base, { path, fields, files }: Call): string {
	const attached = files.map(({ name, file }) => `        (${quoted(name)}, open(${quoted(nameOf(file))}, "rb")),`);
	const texts: Json = Object.fromEntries(Object.entries(fields));
	return `answer = client.post(
    ${quoted(base + path)},
    cast_to=object,
    body=${literal(texts, dialect, 1)},
    files=[
${attached.join('\n')}
    ],
    options={"headers": {"Content-Type": "multipart/form-data"}},
)
print(answer)`;
}
