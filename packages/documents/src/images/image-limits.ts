/** Pixels of one frame. Checked against the header before anything is decoded. A4 at 720 pixels per inch. */
export const imagePixelsMax = 50_000_000

/** The same for a BMP, which must be decoded as a whole: A4 at 600 pixels per inch. */
export const bmpPixelsMax = 35_000_000

/** Pixels of all frames of a TIFF together: 100 pages of A4 at 200 pixels per inch. */
export const imagePixelsTogetherMax = 400_000_000

/** Pixels of one side of a frame: the maximum of a JPEG. */
export const imageSidePixelsMax = 65_535

/** Frames of one TIFF, each of which is a page, or of one GIF. */
export const imageFramesMax = 100

/**
 * Bytes of one decoded frame: 240 MB. With all these limits, a process that inspects and places the worst image of each
 * kind peaks below 512 MiB, of which the process itself takes 120.
 */
export const imageDecodedBytesMax = 240_000_000

/** Compressed bytes of all texts in a PNG, which may decode to a thousand times as much. */
export const pngTextBytesMax = 256 * 1024

/** Chunks of a PNG besides its pixels. */
export const pngChunksMax = 1_000

/** Seconds for decoding one frame once. The decoder has threads of its own, whose processor time is not measured. */
export const imageDecodeSecondsMax = 10
