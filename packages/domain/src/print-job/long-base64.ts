/**
 * From this many characters on, base64 of no known kind of file is reported. Ids, hashes, keys and most tokens are
 * shorter; even a small picture or page is longer.
 */
export const longBase64Characters = 256
