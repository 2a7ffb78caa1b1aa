import type { RecordSetResponse } from '@despatch/contracts/administration/record-set'
import { expect, test } from 'vitest'
import { importRecords } from './import-records.ts'
import type { RecordFile } from './records/sample-records.ts'
import { createScreen } from './screen/screen.ts'
import type { Session } from './users/session.ts'

const ours = 'ab'.repeat(32)
const file: RecordFile = { kind: 'driver', lines: '{}\n{}\n', count: 2, sha256: ours }

test('records that are not there are imported', async () => {
  expect(await run([])).toEqual({
    isThere: true,
    imported: ['driver'],
    told: 'imported 2 drivers, all of them made up',
  })
})

type Case = {
  name: string
  set: Partial<RecordSetResponse>
  isThere: boolean
  imported?: string[]
  told: string
}

test.each<Case>([
  {
    name: 'its own records of an earlier time are used again',
    set: { state: 'CURRENT' },
    isThere: true,
    told: 'had imported 2 drivers, all of them made up',
  },
  {
    name: "somebody's records are left alone",
    set: { state: 'CURRENT', sourceSha256: 'cd'.repeat(32) },
    isThere: false,
    told: 'leaves the records alone that are here: they are not of the demo',
  },
  {
    name: "somebody's import that is unfinished is left alone",
    set: { state: 'LOADING', sourceSha256: 'cd'.repeat(32) },
    isThere: false,
    told: 'leaves the records alone that are here: they are not of the demo',
  },
  {
    name: 'its own import that is unfinished is taken up again',
    set: { state: 'PUBLISHING', publishing: 'broken-off' },
    isThere: true,
    imported: ['driver'],
    told: 'imported 2 drivers, all of them made up',
  },
])('$name', async ({ set, isThere, imported = [], told }) => {
  expect(await run([aSet(set)])).toEqual({ isThere, imported, told })
})

async function run(recordSets: RecordSetResponse[]) {
  let told = ''
  const screen = createScreen(
    { write: (text) => (told += text) },
    { isLive: false, hasColour: false, elapsedMs: () => 0 },
  )
  const expectAnswer: Session['expect'] = async () => ({
    status: 200,
    headers: new Headers(),
    body: { recordSets },
  })
  const imported: string[] = []
  const isThere = await importRecords({
    session: { expect: expectAnswer } as Session,
    files: [file],
    screen,
    importFile: async ({ kind }) => void imported.push(kind),
  })
  return { isThere, imported, told: told.replace(/^.*operator\s+/, '').trim() }
}

function aSet(given: Partial<RecordSetResponse>): RecordSetResponse {
  return {
    recordSetId: '7',
    kind: 'driver',
    mode: 'replace',
    state: 'LOADING',
    sourceSha256: ours,
    rowsRead: 0,
    rowsRejected: 0,
    createdBy: 'somebody',
    createdAt: '2026-01-31T09:00:00.000Z',
    ...given,
  }
}
