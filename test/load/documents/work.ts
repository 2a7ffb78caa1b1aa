import type { DocumentRequest } from '@despatch/documents/document-request'

/** What a thread does with a letter, instead of making its whole document. */
export type Part = 'compose' | 'compose-unmarked' | 'inspect-pdf' | 'inspect' | 'pdf-lib'

export type PartTask = { part: Part; request: DocumentRequest }

export type Made = { pages: number; pdf?: Uint8Array }
