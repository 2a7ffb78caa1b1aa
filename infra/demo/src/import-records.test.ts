import type { RecordSetResponse } from '@despatch/contracts/administration/record-set'
import { expect, test } from 'vitest'
import { importRecords } from './import-records.ts'
import type { RecordFile } from './records/sample-records.ts'
import { createScreen } from './screen/screen.ts'
import type { Answer, Request, Session } from './users/session.ts'

const ours = 'ab'.repeat(32)
const file: RecordFile = { kind: 'driver', lines: '{}\n{}\n', count: 2, sha256: ours }

test('records are loaded, published and waited for', async () => {
  const operator = anOperator([])

  expect(await run(operator.session)).toEqual({
    isThere: true,
    told: 'imported 2 drivers, all of them made up',
  })
  expect(operator.requests).toEqual([
    'GET /administration/v1/record-sets?kind=driver&limit=100',
    'POST /administration/v1/record-sets',
    'POST /administration/v1/record-sets/7/rows?fromRow=0',
    'POST /administration/v1/record-sets/7/publish',
    'GET /administration/v1/record-sets/7',
    'GET /administration/v1/record-sets/7',
  ])
})

test.each<{ name: string; set: Partial<RecordSetResponse>; isThere: boolean; told: string }>([
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
    told: 'imported 2 drivers, all of them made up',
  },
])('$name', async ({ set, isThere, told }) => {
  expect(await run(anOperator([aSet(set)]).session)).toEqual({ isThere, told })
})

test('a set that is not being published yet is asked for again, but not for ever', async () => {
  const { session, requests } = anOperator([aSet({ state: 'PUBLISHING' })], { isAtIt: false })

  await expect(run(session)).rejects.toThrow('a set of records could not be published')
  expect(requests.filter((request) => request.endsWith('/publish')).length).toBeGreaterThan(1)
})

test('a row that is not taken fails the demo and is named', async () => {
  const { session } = anOperator([], { accepted: 1, rejected: [{ row: 2, reasons: ['no name'] }] })

  await expect(run(session)).rejects.toThrow('1 of 2 drivers were taken; row 2: no name')
})

async function run(session: Session) {
  let told = ''
  const screen = createScreen(
    { write: (text) => (told += text) },
    { isLive: false, hasColour: false, elapsedMs: () => 0 },
  )
  const { signal } = new AbortController()
  const isThere = await importRecords({
    session,
    files: [file],
    screen,
    signal,
    pollIntervalMs: 1,
  })
  return { isThere, told: told.replace(/^.*operator\s+/, '').trim() }
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

/** Answers as the API of operators does, for one kind of records. */
function anOperator(
  recordSets: RecordSetResponse[],
  { accepted = 2, rejected = [] as object[], isAtIt = true } = {},
) {
  const requests: string[] = []
  let set = recordSets[0]
  let looks = 0
  function answer({ method = 'GET', path }: Request): unknown {
    if (method === 'POST' && path.endsWith('/record-sets')) {
      set ??= aSet({})
      return set
    }
    if (path.includes('/rows')) return { rowsRead: 2, accepted, rejected }
    if (path.endsWith('/publish')) {
      set = aSet({ state: 'PUBLISHING', publishing: 'under-way' })
      return set
    }
    if (path.includes('?kind=')) return { recordSets }
    looks += 1
    if (!isAtIt) return aSet({ state: 'PUBLISHING', publishing: 'broken-off' })
    return looks > 1 ? aSet({ state: 'CURRENT' }) : set
  }
  const send = async (request: Request): Promise<Answer> => {
    requests.push(`${request.method ?? 'GET'} ${request.path}`)
    return { status: 200, headers: new Headers(), body: answer(request) }
  }
  const session: Session = {
    userName: 'operator',
    token: 'token',
    apiKey: 'key',
    send,
    expect: (_status, request) => send(request),
  }
  return { session, requests }
}
