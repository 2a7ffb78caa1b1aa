import type { Target } from './fuzz/targets.ts'
import { hostileDrawings } from './hostile-drawings.ts'
import { hostileImages } from './hostile-images.ts'
import { pdfBombs } from './pdf-bombs.ts'

/** A file that demands much of what reads it. */
export type HostileFile = {
  name: string
  target: Target
  make: () => Uint8Array | Promise<Uint8Array>
  verdict: 'accept' | 'reject'
  /** What must be found, if it matters. */
  findings?: readonly object[] | undefined
  /** It is read to its end, or painted: only time and memory show whether this takes too much. */
  isLong: boolean
}

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

/** These take a third of a second or more. */
const long: readonly string[] = [
  'streams that decode to 510 MiB, which is still allowed',
  'nearly as many objects as allowed, each with a stream',
  'as many values as allowed',
  'as many dictionaries as allowed, packed',
  'strings as long as allowed',
  'a chain of fifty thousand references',
  'zeros for 90 MiB behind its end',
  'a stream of 90 MiB whose length is in another object',
  'a radial shading by a function of 60,000 operators',
  'JBIG2 of 90 million pixels',
  'samples in sixteen dimensions',
  'samples in eight dimensions, for each pixel of an image',
  'a small cell of 5,000 operators',
  'text of three million characters',
  '50,000 inline images',
  'an image of 90 million pixels, nearly empty',
  'fax of 90 million pixels',
  'a mask larger than its image',
]

export const hostileFiles: readonly HostileFile[] = [
  ...Object.entries(pdfBombs).map(
    ([name, { rule, make }]): HostileFile => ({
      name,
      make,
      target: 'inspect',
      isLong: long.includes(name),
      verdict: rule ? 'reject' : 'accept',
      findings: rule && [{ rule }],
    }),
  ),
  ...Object.entries({ ...hostileDrawings, ...hostileImages }).flatMap(([kind, of]) =>
    Object.entries(of).map(
      ([name, make]): HostileFile => ({
        name: `${kind}: ${name}`,
        make,
        target: 'letter',
        isLong: long.includes(name),
        verdict: accepted.includes(name) ? 'accept' : 'reject',
        // the others are refused by what they would draw, before they are painted
        findings:
          kind in hostileDrawings && !painted.includes(name)
            ? [{ rule: 'pdf-drawing', page: 1 }]
            : undefined,
      }),
    ),
  ),
]
