/**
 * The media type that is wanted the most of those that are offered, by an Accept header (RFC 9110): its weight decides, then
 * how exactly it is named, then the order of the offer. The first one without a header, and where none is acceptable.
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

/** The range that names the type most exactly has the say. */
function wishFor(mediaType: string, ranges: readonly MediaRange[]) {
  const names = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType]
  const [wish] = ranges
    .map(({ type, weight }) => ({ weight, exactness: names.indexOf(type) }))
    .filter(({ exactness }) => exactness >= 0)
    .sort((one, other) => other.exactness - one.exactness)
  return wish ?? { weight: 0, exactness: -1 }
}
