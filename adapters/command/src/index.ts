import { commandChat as chat } from './kinds/chat.ts';
import { commandImage as image } from './kinds/image.ts';
import { commandSpeech as speech } from './kinds/speech.ts';
import { commandTranscription as transcription } from './kinds/transcription.ts';
import { commandVideo as video } from './kinds/video.ts';

/** Any program as a model: one process for each request, without a shell. */
export const command = { video, image, speech, chat, transcription };
