import { hash } from 'node:crypto'

/** Returns the entity tag of a text. */
export function etagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url')}"`
}

/** Returns whether a caller has what the tag names. Compares weakly, as RFC 9110 requires for If-None-Match. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const known = ifNoneMatch?.split(',').map(opaque) ?? []
  return known.includes(opaque(etag)) || known.includes('*')
}
