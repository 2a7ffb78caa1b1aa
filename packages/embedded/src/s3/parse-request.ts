import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { S3Error } from './s3-error.ts'

/**
 * A request, parsed once. The signature is checked over these values and the operation is carried out with them:
 * nothing reads the raw address again.
 */
export type S3Request = {
  method: string
  /** The decoded segments of the path: the bucket, then those of the key. Empty for the root. */
  segments: readonly string[]
  /** The path in its canonical encoding. */
  path: string
  /** The decoded parameters of the query. Each name occurs once. */
  parameters: ReadonlyMap<string, string>
  headers: IncomingHttpHeaders
}

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Throws InvalidURI if the address is not a path of non-empty segments with a query that is unambiguous. */
export function parseRequest({ method = '', url = '', headers }: Received): S3Request {
  if (!/^\/[\x21-\x7e]*$/.test(url)) throw invalid('The address is not an absolute path in ASCII')
  const questionAt = url.indexOf('?')
  const rawPath = questionAt < 0 ? url : url.slice(0, questionAt)
  const rawQuery = questionAt < 0 ? '' : url.slice(questionAt + 1)
  const segments = rawPath.slice(1).split('/').map(decode)
  const path = `/${segments.map(encode).join('/')}`
  // The SDK ends the path of a bucket in a slash, and the root is a slash alone.
  if (segments.length <= 2 && segments.at(-1) === '') segments.pop()
  if (segments.some((segment) => segment === '' || segment.includes('/'))) {
    throw invalid('The path has an empty segment or an encoded slash')
  }
  return { method, segments, path, parameters: parseQuery(rawQuery), headers }
}

function parseQuery(query: string): ReadonlyMap<string, string> {
  if (query.includes('?')) throw invalid('The query contains a second question mark')
  const parameters = new Map<string, string>()
  for (const part of query.split('&').filter(Boolean)) {
    const equalsAt = part.indexOf('=')
    const name = decode(equalsAt < 0 ? part : part.slice(0, equalsAt))
    if (parameters.has(name)) throw invalid('A parameter of the query occurs twice')
    parameters.set(name, equalsAt < 0 ? '' : decode(part.slice(equalsAt + 1)))
  }
  return parameters
}

/** Encodes by RFC 3986, as Signature Version 4 requires it. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Throws InvalidURI if the text is not percent-encoded UTF-8. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('The address is not percent-encoded UTF-8')
  }
}

function invalid(message: string): S3Error {
  return new S3Error('InvalidURI', message)
}
