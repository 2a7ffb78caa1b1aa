import { expect, test } from 'vitest'
import { fieldFaults } from '../field-faults.ts'
import { volumesQuerySchema } from './volume.ts'

test('volumes are grouped by day by default', () => {
  expect(volumesQuerySchema.parse({ from: '2026-02-01', to: '2026-02-28' })).toEqual({
    from: '2026-02-01',
    to: '2026-02-28',
    groupBy: 'day',
  })
})

const taken: [from: string, to: string, what: string][] = [
  ['2026-03-29', '2026-03-29', 'one day'],
  ['2026-01-01', '2026-12-31', 'a year'],
  ['2028-01-01', '2028-12-31', 'a leap year'],
]

test.for(taken)('accepts %s to %s: %s', ([from, to]) => {
  expect(volumesQuerySchema.safeParse({ from, to }).success).toBe(true)
})

const day = 'must be a day such as 2026-12-24'
const from = '2026-01-01'

test.for<[query: object, ...faults: string[]]>([
  [{ to: from }, 'from must not be null'],
  [{ from }, 'to must not be null'],
  [{ from: '2026-02-29', to: '2026-03-01' }, `from ${day}`],
  [{ from: '0000-01-01', to: '0000-01-02' }, `from ${day}`, `to ${day}`],
  [{ from: '2026-01-01T00:00:00Z', to: '2026-01-02' }, `from ${day}`],
  [{ from: '2026-01-02', to: from }, 'to must not be before from, 2026-01-02'],
  [{ from, to: '2027-01-02' }, 'to must be at most 366 days, counted from 2026-01-01'],
  [{ from, to: from, groupBy: 'week' }, 'groupBy must be one of day, month'],
])('refuses %j', ([query, ...faults]) => {
  const { error } = volumesQuerySchema.safeParse(query)

  expect(fieldFaults(error?.issues ?? [], query).map(({ detail }) => detail)).toEqual(faults)
})
