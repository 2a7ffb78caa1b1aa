import type { Readable } from 'node:stream'

/** Reads a text to its end, or until it exceeds `charactersMax`. */
export async function readInput(stream: Readable, charactersMax: number): Promise<string> {
  let text = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream) {
    text += chunk
    if (text.length >= charactersMax) break
  }
  return text.slice(0, charactersMax)
}
