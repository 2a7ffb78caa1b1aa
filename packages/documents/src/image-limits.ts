/** Pixels of one frame. Checked against the header, before anything is decoded. */
export const imagePixelsMax = 100_000_000

/** Frames of one TIFF, each of which is a page. */
export const imageFramesMax = 100
