import type { SpeechModel } from '@plinth/plugin-speech/model';
import { sherpaOnnx } from '@plinth/sherpa-onnx';
import { createModel, silentLogger } from '@plinth/testing';

// A server that generates speech continuously until it is killed. Arguments: the folder of the voice and the folder of
// the engine.
const [voiceFolder = '', folder = ''] = process.argv.slice(2);
const options = { folder: voiceFolder, family: 'vits', threads: 1 } as const;
const { model } = await createModel<SpeechModel>(sherpaOnnx.speech(options), { folder });
const request = { input: 'a lighthouse '.repeat(20), voice: '0', speed: 0.25, format: 'pcm' } as const;
for (;;) {
	const { body } = await model.speak(request, { signal: new AbortController().signal, log: silentLogger() });
	for await (const _ of body) process.stdout.write('.');
}
