export { transcription } from './plugin.ts';
