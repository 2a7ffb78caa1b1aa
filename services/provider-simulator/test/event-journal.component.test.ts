import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEventJournal } from '../src/print-run/event-journal.ts'

const fetched = {
  documentId: 'D1',
  attempt: 1,
  type: 'FETCHED',
  occurredAt: '2026-01-05T10:00:00Z',
} as const
const spoiled = { ...fetched, type: 'SPOILED', reasonCode: 'SMUDGED', reason: 'Smudged' } as const

async function aPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'event-journal-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return join(directory, 'R1.ndjson')
}

test('an event keeps its id over a restart, and what was reported is not reported again', async () => {
  const path = await aPath()
  const journal = await openEventJournal(path, 0)
  await journal.note(fetched, spoiled)
  const noted = journal.unreported()
  await journal.close()

  const reopened = await openEventJournal(path, 1)
  expect(noted).toMatchObject([fetched, spoiled])
  expect(reopened.unreported()).toEqual(noted.slice(1))
  expect(reopened.latest('D1')).toEqual({ attempt: 1, type: 'SPOILED', reasonCode: 'SMUDGED' })
  reopened.forget(1)
  expect(reopened.unreported()).toEqual([])
  await reopened.close()
})

test('events that are noted at once are reported in the order of the file', async () => {
  const path = await aPath()
  const journal = await openEventJournal(path, 0)

  const documentIds = Array.from({ length: 200 }, (_, number) => `D${number}`)
  await Promise.all(documentIds.map((documentId) => journal.note({ ...fetched, documentId })))
  const unreported = journal.unreported()
  await journal.close()

  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(unreported)
})

test('continues after a line that a crash truncated', async () => {
  const path = await aPath()
  const journal = await openEventJournal(path, 0)
  await journal.note(fetched)
  await journal.close()
  await appendFile(path, '{"eventId":"cut')

  const reopened = await openEventJournal(path, 1)
  await reopened.note(spoiled)
  await reopened.close()

  const again = await openEventJournal(path, 1)
  expect(again.unreported()).toMatchObject([spoiled])
  await again.close()
})
