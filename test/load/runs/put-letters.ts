import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { composeLetter } from '@despatch/documents/compose-letter'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { letterOf, makeTextLetter } from '../documents/letters.ts'
import type { SeededDocument } from './seed-print-jobs.ts'

export type PutLetter = SeededDocument & { path: string }

/**
 * Composes letters with our marks: three pages of text and the address page, each with a different recipient. Puts them
 * into the object store, and into a directory for merging.
 */
export async function putLetters(
  objects: Pick<ObjectStore, 'put'>,
  { count, directory }: { count: number; directory: string },
): Promise<PutLetter[]> {
  const sample = await makeTextLetter()
  const letters: PutLetter[] = []
  for (let number = 0; number < count; number++) {
    const request = letterOf(sample, number)
    if (request.production === 'as-supplied') throw new Error('Nothing is composed')
    const composed = await composeLetter({ ...request, pages: request.files })
    if (composed.kind === 'refused') throw new Error(composed.reason)
    const { pdf, pages, sheets } = composed
    const sha256 = createHash('sha256').update(pdf).digest('hex')
    const path = join(directory, `${sha256}.pdf`)
    await objects.put(documentKey(sha256), pdf, 'application/pdf')
    await writeFile(path, pdf)
    letters.push({ sha256, bytes: pdf.length, pages, sheets, path })
  }
  return letters
}
