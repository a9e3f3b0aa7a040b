import { speech, transcription } from './audio.ts';
import { chat } from './chat/model.ts';
import { image } from './image.ts';
import { video } from './video/model.ts';

/** Models of any AI SDK provider whose models follow version 3 or 4 of the specification. */
export const aiSdk = { chat, image, speech, transcription, video };
