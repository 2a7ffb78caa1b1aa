import { expect, test } from 'vitest'
import { aWorld } from '../../test/a-world.ts'
import { makePaint } from './paint.ts'
import { drawReconciliationTable } from './reconciliation-table.ts'

const { account } = aWorld().printRun

test('shows for each run what was claimed and what became of it, within 80 columns', () => {
  const large = { ...account, batchNumber: 'R100001', expected: 20_000, despatched: 19_999 }
  const lines = drawReconciliationTable([account, large], makePaint(false))

  expect(lines).toEqual([
    ' Print run  State   Expected  Despatched  Refused  Failed  Recalled  Missing',
    ' R1         CLOSED         2           1        1       0         0        0',
    ' R100001    CLOSED     20000       19999        1       0         0        0',
    '',
  ])
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80)
})

test('a run that is not closed or misses a document is red', () => {
  const [, closed, open, unbalanced] = drawReconciliationTable(
    [account, { ...account, state: 'POSTED' }, { ...account, isBalanced: false }],
    makePaint(true),
  )

  expect(closed).toContain('\x1b[32m')
  expect(open).toContain('\x1b[31m')
  expect(unbalanced).toContain('\x1b[31m')
})
