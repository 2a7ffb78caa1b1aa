import { makeDocument } from '@despatch/documents/make-document'
import type { LetterMakers } from '@despatch/templates/try-letter'
import type { Typesetters } from '@despatch/templates/typesetters'

/** Letters are checked in this process: the user waits for nothing else. */
export function makersWith(typesetters: Typesetters): LetterMakers {
  return { typesetters, makeDocument: (request) => makeDocument(request) }
}
