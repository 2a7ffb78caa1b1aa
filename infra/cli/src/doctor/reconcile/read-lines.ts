import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Failure } from '../../failure.ts'

export type Line = { number: number; text: string }

/** The lines of a file that are not empty, one after the other. Throws a Failure when it cannot be read. */
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
