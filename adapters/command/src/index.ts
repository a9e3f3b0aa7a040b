import { commandChat } from './kinds/chat.ts';
import { commandImage } from './kinds/image.ts';
import { commandSpeech } from './kinds/speech.ts';
import { commandTranscription } from './kinds/transcription.ts';
import { commandVideo } from './kinds/video.ts';

/** Any program as a model: one process for each request, without a shell. */
export const command = {
	video: commandVideo,
	image: commandImage,
	speech: commandSpeech,
	chat: commandChat,
	transcription: commandTranscription,
};
