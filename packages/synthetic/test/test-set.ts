import { describe, expect, test } from 'vitest'

type RecordSet = { seed: number; count: number; today: string }

/** Tests what generated records of any kind have in common. */
export function testSet<Set extends RecordSet, Row>(
  generate: (set: Set) => Generator<Row, void, undefined>,
  { aSet, numberOf }: { aSet: Set; numberOf: (row: Row) => string },
): void {
  const rows = (change: Partial<RecordSet> = {}) => [...generate({ ...aSet, ...change })]

  describe('the same records', () => {
    test('come from the same seed', () => {
      expect(rows()).toEqual(rows())
    })

    test('come when another set is made at the same time', () => {
      const other = generate({ ...aSet, seed: 1 })
      const interleaved: Row[] = []
      for (const row of generate(aSet)) {
        interleaved.push(row)
        other.next()
      }

      expect(interleaved).toEqual(rows())
    })

    test('head a larger set, and one without end', () => {
      const endless = generate({ ...aSet, count: Number.POSITIVE_INFINITY })
      const taken = Array.from({ length: aSet.count }, () => endless.next().value)

      expect([rows({ count: 2000 }).slice(0, aSet.count), taken]).toEqual([rows(), rows()])
    })
  })

  test('another seed makes other records', () => {
    const numbers = new Set(rows().map(numberOf))

    expect(rows({ seed: aSet.seed + 1 }).filter((row) => numbers.has(numberOf(row)))).toEqual([])
  })

  test.each<[change: Partial<RecordSet>, field: string]>([
    [{ seed: 1.5 }, 'seed'],
    [{ seed: Number.NaN }, 'seed'],
    [{ count: -1 }, 'count'],
    [{ count: Number.NaN }, 'count'],
    [{ today: '2026-02-30' }, 'today'],
  ])('refuses %j by name', (change, field) => {
    expect(() => rows(change)).toThrow(field)
  })
}
