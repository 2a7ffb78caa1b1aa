/** Returns the file with one byte changed: still a PDF, but not the one in the manifest. */
export function alteredFile(file: Uint8Array): Uint8Array {
  const altered = Uint8Array.from(file)
  const place = altered.length - 1
  altered[place] = altered[place] === 0x0a ? 0x20 : 0x0a
  return altered
}
