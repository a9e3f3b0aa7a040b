import { openaiChat } from './chat/model.ts';
import { openaiImage } from './image/model.ts';
import { openaiSpeech } from './speech/model.ts';
import { openaiTranscription } from './transcription/model.ts';
import { openaiVideo } from './video/model.ts';

/** Models on a server with an OpenAI-compatible API. `dialect` selects the differences of the server. */
export const openai = {
	chat: openaiChat,
	image: openaiImage,
	speech: openaiSpeech,
	transcription: openaiTranscription,
	video: openaiVideo,
};
