/**
 * Returns the offered media type that an Accept header (RFC 9110) prefers: by weight, then by how exactly the header
 * names it, then by the order of the offer. Returns the first offered type without a header, or if none is acceptable.
 */
export function chooseMediaType<MediaType extends string>(
  accept: string | undefined,
  [first, ...others]: readonly [MediaType, ...MediaType[]],
): MediaType {
  const ranges = (accept ?? '*/*').split(',').map(parseRange)
  const wishes = [first, ...others].map((type) => ({ type, ...wishFor(type, ranges) }))
  const [wanted] = wishes
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight || other.exactness - one.exactness)
  return wanted?.type ?? first
}

type MediaRange = { type: string; weight: number }

function parseRange(range: string): MediaRange {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}

/** The range that matches the type most exactly decides. */
function wishFor(mediaType: string, ranges: readonly MediaRange[]) {
  const names = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType]
  const [wish] = ranges
    .map(({ type, weight }) => ({ weight, exactness: names.indexOf(type) }))
    .filter(({ exactness }) => exactness >= 0)
    .sort((one, other) => other.exactness - one.exactness)
  return wish ?? { weight: 0, exactness: -1 }
}
