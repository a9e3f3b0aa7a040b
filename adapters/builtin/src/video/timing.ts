/** Frames per second of every video. */
export const FRAME_RATE = 24;
/** Frames per group of pictures: each starts with a key frame and is encoded on its own. */
export const GROUP_FRAMES = 48;
