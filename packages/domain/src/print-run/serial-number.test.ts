import { expect, test } from 'vitest'
import {
  type DocumentAttempt,
  judgeSerialNumber,
  type SerialNumberStanding,
  type SerialNumberState,
} from './serial-number.ts'

const holder: DocumentAttempt = { batchNumber: 'B1', documentId: 'D1', attempt: 2 }
const standing = (
  state: SerialNumberState,
  rest: Partial<SerialNumberStanding> = {},
): SerialNumberStanding => ({ providerId: 'north', state, holder: null, ...rest })

const stock = { isStockControlled: true }
const noStock = { isStockControlled: false }
const rows: [
  name: string,
  before: SerialNumberStanding | undefined,
  stock: { isStockControlled: boolean },
  judged: string,
][] = [
  ['that is unknown', undefined, noStock, 'USED'],
  ['that was not issued', undefined, stock, 'not-in-stock'],
  ['in stock', standing('IN_STOCK'), stock, 'USED'],
  ["in another's stock", standing('IN_STOCK', { providerId: 'south' }), stock, 'not-in-stock'],
  ['spoiled before its use', standing('SPOILED'), stock, 'not-in-stock'],
  ['that it has', standing('USED', { holder }), noStock, 'USED'],
  ['that it has spoiled', standing('SPOILED', { holder }), stock, 'SPOILED'],
  [
    'of another document',
    standing('USED', { holder: { ...holder, documentId: 'D2' } }),
    stock,
    'taken',
  ],
  [
    'of another attempt',
    standing('SPOILED', { holder: { ...holder, attempt: 1 } }),
    noStock,
    'taken',
  ],
  [
    'of another print run',
    standing('USED', { holder: { ...holder, batchNumber: 'B2' } }),
    noStock,
    'taken',
  ],
]

test.for(rows)('judges a serial number %s', ([, before, options, judged]) => {
  const judgement = judgeSerialNumber(before, { providerId: 'north', holder, as: 'USED' }, options)

  expect(judgement).toEqual(
    judged === 'USED' || judged === 'SPOILED'
      ? { kind: 'take', standing: standing(judged, { holder }) }
      : { kind: judged },
  )
})

test('a used serial number is spoiled with its attempt', () => {
  const before = standing('USED', { holder })
  const taking = { providerId: 'north', holder, as: 'SPOILED' } as const

  expect(judgeSerialNumber(before, taking, stock)).toEqual({
    kind: 'take',
    standing: standing('SPOILED', { holder }),
  })
})
