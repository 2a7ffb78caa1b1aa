import { hash } from 'node:crypto'
import type { DocumentFile } from '@despatch/documents/document-request'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { expect, test } from 'vitest'
import { type LetterToMake, makeLetter } from './make-letter.ts'

const content = Buffer.from('%PDF-1.7')
const sha256 = hash('sha256', content)
const pinned = { fileId: 'scan', sha256, bytes: content.length, mediaType: 'application/pdf' }
const addressee = {
  recipientName: 'A Person',
  address: { unstructuredAddress: { line1: '1 High Street', line5: 'TOWN', postcode: 'AB1 2CD' } },
}

/** Makes a letter of one file. Returns the file that is composed, and the keys that are read. */
async function make(file: LetterToMake['files'][number]) {
  const read: string[] = []
  let composed: readonly DocumentFile[] = []
  const objects = {
    get: async (key: string) => {
      read.push(key)
      return { bytes: content, etag: '' }
    },
  } as unknown as ObjectStore
  const letter = {
    production: 'as-supplied',
    suppliedFileKey: 'scan',
    printsHandlingInstruction: false,
    plex: 'duplex',
    pagesMax: 20,
    ruleSet: 'standard-2026-11',
    addressPlacement: 'own-page',
    strict: false,
    refusedRules: [],
    marks: false,
    documentId: null,
    submittedAt: new Date(),
    standardParams: {},
    template: null,
    files: [file],
  } as unknown as LetterToMake
  const makeDocument = async ({ files }: { files: readonly DocumentFile[] }) => {
    composed = files
    return { findings: [] }
  }
  const templates = { typeset: () => Promise.reject(new Error('It has no template')) }
  await makeLetter({ objects, makeDocument, templates }, letter, addressee)
  return { read, composed }
}

test('a file is read from the object store', async () => {
  const { read, composed } = await make(pinned)

  expect(read).toEqual([`files/${sha256}`])
  expect(composed).toEqual([{ fileId: 'scan', mediaType: 'application/pdf', bytes: content }])
})

test('a file with known content is not read again', async () => {
  const { read, composed } = await make({ ...pinned, content })

  expect(read).toEqual([])
  expect(composed).toEqual([{ fileId: 'scan', mediaType: 'application/pdf', bytes: content }])
})
