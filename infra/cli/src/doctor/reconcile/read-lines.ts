import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Failure } from '../../failure.ts'

export type Line = { number: number; text: string }

/** Reads the non-empty lines of a file one by one. Throws a Failure if it cannot be read. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const input = createReadStream(path)
  try {
    let number = 0
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1
      if (text.trim() !== '') yield { number, text }
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Failure(`${path} cannot be read (${code})`, { exitCode: 1, cause })
  } finally {
    input.destroy()
  }
}
