import { llamaCppChat } from './chat.ts';

/** Models of llama.cpp, which runs in a process of its own. */
export const llamaCpp = { chat: llamaCppChat };
