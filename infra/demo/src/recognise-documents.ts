import type { SampleLetter } from './letters/sample-letters.ts'
import { readPrintJob } from './users/consumer.ts'
import type { Session } from './users/session.ts'

/** Returns whose letter a document is, which a print factory cannot know. */
export type KnownDocuments = {
  find(documentId: string): Promise<SampleLetter | undefined>
  /** Returns the name if the document has been found before. */
  nameOf(documentId: string): string
}

/** Recognises documents by what the consumer reads of its print jobs. */
export function recogniseDocuments(
  session: Session,
  letters: readonly SampleLetter[],
): KnownDocuments {
  const known = new Map<string, SampleLetter>()
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    for (const letter of letters) {
      const { documentId } = await readPrintJob(session, letter.id)
      if (documentId) known.set(documentId, letter)
    }
  }

  return {
    find: async (documentId) => {
      // A read under way may have begun too early. The read after it did not.
      for (let reads = 0; reads < 2 && !known.has(documentId); reads++) {
        reading ??= read().finally(() => {
          reading = undefined
        })
        await reading
      }
      return known.get(documentId)
    },
    nameOf: (documentId) => {
      const letter = known.get(documentId)
      return letter ? `letter ${letter.number}` : `document ${documentId}`
    },
  }
}
