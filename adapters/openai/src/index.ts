import { openaiChat } from './chat/model.ts';
import { openaiImage } from './image/model.ts';
import { openaiSpeech } from './speech/model.ts';
import { openaiVideo } from './video/model.ts';

/** Models behind a server that speaks OpenAI's API, or nearly: `dialect` says where it differs. */
export const openai = {
	chat: openaiChat,
	image: openaiImage,
	speech: openaiSpeech,
	video: openaiVideo,
};
