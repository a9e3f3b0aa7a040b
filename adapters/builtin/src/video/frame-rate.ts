/** Frames per second. */
export const frameRate = 24;
