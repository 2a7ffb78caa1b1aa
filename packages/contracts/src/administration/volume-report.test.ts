import { describe, expect, test } from 'vitest'
import { renderVolumesCsv } from './volume-csv.ts'
import { renderVolumes, type VolumeLine } from './volume-report.ts'

const asked = { from: '2026-11-01', to: '2026-11-30', groupBy: 'month' } as const
const letters = {
  period: '2026-11',
  consumerId: 'c1',
  userName: 'council',
  jobType: 'LETTER',
  templateReference: 'LETTER',
}
const nothing = { accepted: 0, rejected: 0, deleted: 0, letters: 0, sheets: 0, pages: 0 }

function cameIn(counts: Partial<VolumeLine>): VolumeLine {
  return { ...letters, despatchMethod: null, postageClass: null, ...nothing, ...counts }
}

function left(
  despatchMethod: VolumeLine['despatchMethod'],
  postageClass: string,
  counts: Partial<VolumeLine>,
): VolumeLine {
  return { ...letters, ...nothing, despatchMethod, postageClass, ...counts }
}

const one = { letters: 1, sheets: 1, pages: 1 }
const lines = [
  cameIn({ accepted: 12, rejected: 1, deleted: 2 }),
  left('SECOND', '2ND', { letters: 7, sheets: 9, pages: 14 }),
  left('FIRST', '1ST', { letters: 2, sheets: 2, pages: 3 }),
  left('SECOND', '=1+1', { userName: '@home', consumerId: 'c2', ...one }),
]

describe('a report', () => {
  test('has one volume for each contract and period, and the total of all', () => {
    expect(renderVolumes(asked, lines)).toEqual({
      ...asked,
      total: { accepted: 12, rejected: 1, deleted: 2, letters: 10, sheets: 12, pages: 18 },
      volumes: [
        {
          ...letters,
          ...{ accepted: 12, rejected: 1, deleted: 2, letters: 9, sheets: 11, pages: 17 },
          despatched: [
            { despatchMethod: 'SECOND', postageClass: '2ND', letters: 7, sheets: 9, pages: 14 },
            { despatchMethod: 'FIRST', postageClass: '1ST', letters: 2, sheets: 2, pages: 3 },
          ],
        },
        {
          ...letters,
          ...{ ...nothing, ...one, consumerId: 'c2', userName: '@home' },
          despatched: [{ despatchMethod: 'SECOND', postageClass: '=1+1', ...one }],
        },
      ],
    })
  })

  test.for<Partial<VolumeLine>>([
    { period: '2026-12' },
    { consumerId: 'c2' },
    { jobType: 'NOTICE' },
    { templateReference: 'NOTICE' },
  ])('keeps volumes apart: %j', (other) => {
    const { volumes } = renderVolumes(asked, [cameIn({ accepted: 1 }), cameIn(other)])

    expect(volumes).toHaveLength(2)
  })

  test('has no volumes when there is nothing to count', () => {
    expect(renderVolumes(asked, [])).toEqual({ ...asked, total: nothing, volumes: [] })
  })
})

test('every column of the CSV can be summed, and no cell of the CSV is a formula', () => {
  expect(renderVolumesCsv(renderVolumes(asked, lines)).split('\r\n')).toEqual([
    'period,userName,jobType,templateReference,despatchMethod,postageClass,accepted,rejected,deleted,letters,sheets,pages',
    '2026-11,council,LETTER,LETTER,,,12,1,2,0,0,0',
    '2026-11,council,LETTER,LETTER,SECOND,2ND,0,0,0,7,9,14',
    '2026-11,council,LETTER,LETTER,FIRST,1ST,0,0,0,2,2,3',
    "2026-11,'@home,LETTER,LETTER,SECOND,'=1+1,0,0,0,1,1,1",
    '',
  ])
})

test.for(['=', '+', '-', '@', '\t', '\r'])(
  'a name in the CSV that begins with %j gets an apostrophe in front',
  (first) => {
    const report = renderVolumes(asked, [cameIn({ accepted: 1, jobType: `${first}1` })])

    expect(renderVolumesCsv(report)).toContain(`'${first}1`)
  },
)
