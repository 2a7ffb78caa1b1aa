/** Pixels of one frame. Checked against the header, before anything is decoded. */
export const imagePixelsMax = 100_000_000

/** The same for a BMP, which has to be decoded as a whole: A4 at 720 pixels to the inch. */
export const bmpPixelsMax = 50_000_000

/** Pixels of either side of a frame, as many as a JPEG can have. */
export const imageSidePixelsMax = 65_535

/** Frames of one TIFF, each of which is a page. */
export const imageFramesMax = 100

/**
 * What one frame may take in memory where its kind has to be decoded as a whole: 300 MB. With all of
 * these limits a process that inspects and places the worst image of each kind peaks below 512 MiB
 * (measured: 470), of which the process itself takes 120.
 */
export const imageDecodedBytesMax = 300_000_000
