import type { FastifyInstance } from 'fastify'

/** Returns the methods that the routes at a path accept. The query does not matter. Empty: there is no such path. */
type AllowedMethods = (url: string) => string[]

/** Collects the routes that are registered after this call, so that a wrong method can be told from a wrong path. */
export function collectMethods(api: FastifyInstance): AllowedMethods {
  const methodsOf = new Map<string, Set<string>>()
  api.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    methodsOf.set(url, methods)
  })
  return (url) => {
    const segments = segmentsOf(url.split('?', 1)[0]!)
    const found = [...methodsOf].filter(([pattern]) => fits(segmentsOf(pattern), segments))
    return [...new Set(found.flatMap(([, methods]) => [...methods]))].toSorted()
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1)
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '*'
  if (isOpenEnded ? path.length < pattern.length : path.length !== pattern.length) return false
  return pattern.every((part, at) => part === '*' || fitsSegment(part, path[at]!))
}

/** A parameter may be followed by fixed text, as in `:page.png`. */
function fitsSegment(pattern: string, segment: string): boolean {
  const [, suffix] = /^:\w+(.*)$/.exec(pattern) ?? []
  if (suffix === undefined) return pattern === segment
  return segment.length > suffix.length && segment.endsWith(suffix)
}
