import { Problem } from '@despatch/domain/problem'

/**
 * Refuses a path that the library of the proxies does not forward. It takes two dots beside a slash for a segment `..`,
 * and its error would be reported as a fault.
 */
export function refuseUnforwardablePath(
  { url }: { url: string },
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  const path = decodeURIComponent(url.split('?', 1)[0]!)
  done(path.includes('/..') || path.includes('../') ? notForwardable : undefined)
}

const notForwardable = new Problem(
  'malformed-request',
  'No segment of the path may begin or end with two dots',
)
