import { hasDotSegment } from '@despatch/domain/dot-segment'

/**
 * Returns whether programs may read the path of a URL differently: it is not percent-encoded UTF-8, or has a segment `.`
 * or `..`.
 */
export function isAmbiguousPath(url: string): boolean {
  const path = decoded(url.split(/[?#]/, 1)[0]!)
  return path === undefined || hasDotSegment(path)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
