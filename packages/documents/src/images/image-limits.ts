/** Pixels of one frame. Checked against the header before anything is decoded. */
export const imagePixelsMax = 100_000_000

/** The same for a BMP, which must be decoded as a whole: A4 at 720 pixels per inch. */
export const bmpPixelsMax = 50_000_000

/** Pixels of one side of a frame: the maximum of a JPEG. */
export const imageSidePixelsMax = 65_535

/** Frames of one TIFF, each of which is a page. */
export const imageFramesMax = 100

/**
 * Bytes of memory for one frame that must be decoded as a whole: 300 MB. With all these limits, a process that inspects
 * and places the worst image of each kind peaks below 512 MiB (measured: 470), of which the process itself takes 120.
 */
export const imageDecodedBytesMax = 300_000_000
