import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { detectMediaType } from '../src/file-signature.ts'
import { measureMemory, startJudge } from './fuzz/judges.ts'
import { hostileDrawings } from './hostile-drawings.ts'
import { hostileImages } from './hostile-images.ts'

const limits = { deadlineMs: 10_000, memoryMiBMax: 512 }
const judge = await shared(startJudge(limits))

const files = Object.entries({ ...hostileDrawings, ...hostileImages }).flatMap(([kind, of]) =>
  Object.entries(of).map(([name, make]) => [kind, name, make] as const),
)

/** Within every limit: they are painted or decoded, which takes little. */
const accepted: readonly string[] = [
  'a radial shading by a function of 60,000 operators',
  'braces 10,000 deep',
  'a colour space of itself',
  'colour spaces 60 deep',
  'patterns within patterns, ten deep',
  'an inline image of 400 million pixels',
  'JBIG2 of 90 million pixels',
  'JPEG 2000 that states other sizes than its dictionary',
  'of rows for 100 times its height',
  'of a profile that decodes to 200 MiB',
  'of 2,000 comments',
]

/** Painting these takes little, and finds print where there may be none. */
const painted: readonly string[] = [
  ...accepted,
  'samples in sixteen dimensions',
  'samples in eight dimensions, for each pixel of an image',
  'a small cell of 5,000 operators',
  'text of three million characters',
  'a pattern of 100,000 dashes',
  '50,000 inline images',
  'an image of 90 million pixels, nearly empty',
  'fax of 90 million pixels',
  'a mask larger than its image',
  'a page of a thousand kilometres',
]

test('the corpus has many files of many kinds', () => {
  expect(files.length).toBeGreaterThanOrEqual(60)
  expect(new Set(files.map(([kind]) => kind)).size).toBeGreaterThanOrEqual(15)
})

test.each(files)('is judged within 10 s and 512 MiB: %s: %s', async (kind, name, make) => {
  const bytes = await make()
  const mediaType = detectMediaType(bytes.subarray(0, 64), bytes.length) ?? 'image/png'

  const { result, grownMiB } = await measureMemory(() =>
    judge.judge({ target: 'letter', mediaType, bytes }),
  )

  expect(result).toMatchObject({ verdict: accepted.includes(name) ? 'accept' : 'reject' })
  // the others are refused by what they would draw, before they are painted
  if (kind in hostileDrawings && !painted.includes(name)) {
    expect(result.findings).toMatchObject([{ rule: 'pdf-drawing', page: 1 }])
  }
  expect(grownMiB).toBeLessThan(limits.memoryMiBMax)
})
