import { sherpaSpeech } from './speech.ts';
import { sherpaTranscription } from './transcription.ts';

/** Models of sherpa-onnx in a process of their own: voices that speak, and recognizers that write down speech. */
export const sherpaOnnx = {
	speech: sherpaSpeech,
	transcription: sherpaTranscription,
};
