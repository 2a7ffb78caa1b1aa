import { expect, test } from 'vitest'
import { checkCalls, mostInWindow } from './general-checks.ts'
import { standardPace } from './pace.ts'
import type { Call } from './transcript.ts'

function aCall(changes: Partial<Call> = {}): Call {
  return {
    atMs: 0,
    method: 'GET',
    url: '/print-fulfilment/v1/print-runs',
    kind: 'listPrintRuns',
    params: {},
    batchNumbers: [],
    hasAuthorization: true,
    hasApiKey: true,
    bodyBytes: new Uint8Array(),
    served: [],
    status: 200,
    ...changes,
  }
}

const faultsOf = (...calls: Call[]) => checkCalls(calls, standardPace)

test.each<[string, Partial<Call>, string[]]>([
  ['a call that is in order', {}, []],
  ['no token', { hasAuthorization: false }, ['listPrintRuns was sent without Authorization']],
  ['no API key', { hasApiKey: false }, ['listPrintRuns was sent without X-API-Key']],
  ['a secret in the address', { secretInUrl: 'API key' }, ['an address contains the API key']],
  ['a request that is wrong', { status: 400 }, ['listPrintRuns was refused as invalid (400)']],
  [
    'an address that is not documented',
    { kind: 'unknown', method: 'DELETE' },
    ['DELETE was sent to an address that is not documented'],
  ],
  ['a file', { kind: 'file', hasAuthorization: false, hasApiKey: false }, []],
  ['signing in', { kind: 'authenticate', hasAuthorization: false, hasApiKey: false }, []],
])('%s', (_, changes, faults) => expect(faultsOf(aCall(changes))).toEqual(faults))

test('the same violation is reported once', () => {
  const call = aCall({ hasApiKey: false })

  expect(faultsOf(call, call)).toEqual(['listPrintRuns was sent without X-API-Key'])
})

test('asking for work is counted by the second, and other calls are not', () => {
  const at = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => aCall({ kind, atMs: index * 50 }))

  expect(faultsOf(...at('listPrintRuns', 10))).toEqual([])
  expect(faultsOf(...at('getDocumentContent', 20))).toEqual([])
  expect(faultsOf(...at('listRecallRequests', 11))).toEqual([
    'polled 11 times in one second; at most 10 are allowed',
  ])
})

test.each([
  [[], 0],
  [[0, 999], 2],
  [[0, 1_000], 1],
  [[0, 500, 999, 1_100, 1_400], 4],
])('calls at %j are at most %i in a second', (times, most) =>
  expect(mostInWindow(times.map((atMs) => ({ atMs })))).toBe(most),
)
