import { expect, test } from 'vitest'
import type { SampleLetter } from './letters/sample-letters.ts'
import { recogniseDocuments } from './recognise-documents.ts'
import type { Session } from './users/session.ts'

const letters = [
  { number: 1, id: 'one' },
  { number: 2, id: 'two' },
] as SampleLetter[]

test('a document is that of the letter whose print job names it, and has its name then', async () => {
  const documents = recogniseDocuments(aSession({ one: 'D1', two: 'D2' }), letters)

  expect(documents.nameOf('D2')).toBe('document D2')
  expect((await documents.find('D2'))?.number).toBe(2)
  expect(documents.nameOf('D2')).toBe('letter 2')
})

test('a document of another consumer is not found', async () => {
  expect(await recogniseDocuments(aSession({ one: 'D1' }), letters).find('D9')).toBeUndefined()
})

test('a document that is created during a search is still found', async () => {
  const made: Record<string, string> = { two: 'D2' }
  const documents = recogniseDocuments(aSession(made), letters)

  const looking = documents.find('D2')
  await Promise.resolve()
  made.one = 'D1'
  const found = await Promise.all([documents.find('D1'), looking])

  expect(found.map((letter) => letter?.number)).toEqual([1, 2])
})

/** Reads print jobs. The job's id determines its document. */
function aSession(documents: Record<string, string>): Session {
  const expectAnswer: Session['expect'] = async (_status, { path }) => {
    const id = /jobs\/(\w+)/.exec(path)?.[1] ?? ''
    const documentId = documents[id]
    return { status: 200, headers: new Headers(), body: { id, ...(documentId && { documentId }) } }
  }
  return { expect: expectAnswer } as Session
}
