import { builtinChat } from './chat/model.ts';
import { builtinImage } from './image/model.ts';
import { builtinSpeech } from './speech/model.ts';
import { builtinVideo } from './video/model.ts';

/** The procedural models: no weights, no network, deterministic. */
export const builtin = {
	video: builtinVideo,
	image: builtinImage,
	speech: builtinSpeech,
	chat: builtinChat,
};
