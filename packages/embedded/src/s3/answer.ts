import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import {
  absent,
  type ObjectFiles,
  type ObjectHead,
  preconditionFailed,
  tooLarge,
} from '../object-files.ts'
import type { Signed } from './check-signature.ts'
import { type Digest, startDigests } from './digests.ts'
import { type Get, type List, type Operation, type Put, toKey, tokenOf } from './read-operation.ts'
import { S3Error, type S3ErrorCode } from './s3-error.ts'
import { element, sendXml, unescapeXml } from './xml.ts'

export type Context = {
  files: ObjectFiles
  bucket: string
  /** The largest object that a presigned link accepts. Without it, links accept objects of any size. */
  linkBytesMax: number | undefined
}

const deletedMax = 1_000
/** 1,000 keys of 1,024 bytes, each byte written as an entity. */
const deletionBytesMax = 8 * 1024 * 1024

/** Carries out an operation whose signature is valid, and answers it. Throws S3Error if it is refused. */
export async function answer(
  operation: Operation,
  signed: Signed,
  { files, bucket, linkBytesMax }: Context,
  [request, response]: [IncomingMessage, ServerResponse],
): Promise<void> {
  switch (operation.kind) {
    case 'put': {
      const etag = await put(files, operation, request, signed.isLink ? linkBytesMax : undefined)
      response.writeHead(200, { etag, 'content-length': 0 }).end()
      return
    }
    case 'get':
      return get(files, operation, response)
    case 'copy': {
      const { from, key, ifMatch } = operation
      const { etag, modifiedAt } = await files.copy(from, key, ifMatch)
      const result = { LastModified: modifiedAt.toISOString(), ETag: etag }
      return sendXml(response, 200, element('CopyObjectResult', result))
    }
    case 'delete':
      await files.delete([operation.key])
      response.writeHead(204).end()
      return
    case 'delete-several': {
      const keys = await readKeys(request, operation.digests)
      return sendXml(response, 200, await deleteSeveral(files, keys))
    }
    case 'list':
      return sendXml(response, 200, await list(files, operation, bucket))
    case 'check-bucket':
      response.writeHead(200).end()
  }
}

async function put(
  files: ObjectFiles,
  { key, ...options }: Put,
  request: IncomingMessage,
  bytesMax: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  return files.put(key, request, { ...options, bytesMax })
}

async function get(files: ObjectFiles, wanted: Get, response: ServerResponse): Promise<void> {
  const object = await files.open(wanted.key)
  if (!object) throw absent()
  await using handle = object.handle
  const { head } = object
  if ((wanted.ifMatch ?? head.etag) !== head.etag) throw preconditionFailed()
  // RFC 9110, section 13.1.5: a range of an object that has changed is the whole object.
  const isAsked = (wanted.ifRange ?? head.etag) === head.etag
  const part = isAsked ? readRange(wanted.range, head.bytes) : undefined
  response.writeHead(part ? 206 : 200, headersOf(head, wanted, part))
  if (!wanted.withBody || head.bytes === 0) return void response.end()
  const stream: Readable = handle.createReadStream({ ...part, autoClose: false })
  // The response has begun, so a client that goes away is no longer answered.
  await pipeline(stream, response).catch(() => response.destroy())
}

function headersOf({ etag, bytes, contentType, modifiedAt }: ObjectHead, wanted: Get, part?: Part) {
  const disposition = wanted.contentDisposition
  return {
    etag,
    'accept-ranges': 'bytes',
    'last-modified': modifiedAt.toUTCString(),
    'content-type': contentType,
    'content-length': part ? part.end - part.start + 1 : bytes,
    'x-content-type-options': 'nosniff',
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${bytes}` }),
    ...(disposition !== undefined && { 'content-disposition': disposition }),
  }
}

/** The first and the last byte of a part of an object. */
type Part = { start: number; end: number }

/** Reads one range of bytes. Anything else asks for the whole object, as HTTP allows. Throws if no byte is in it. */
function readRange(range: string | undefined, bytes: number): Part | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(bytes - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (start > end) throw new S3Error('InvalidRange', 'The object has no byte in this range')
  return { start, end }
}

async function list(files: ObjectFiles, wanted: List, bucket: string): Promise<string> {
  const objects = await files.list(wanted)
  const isFull = objects.length > 0 && objects.length >= wanted.keysMax
  return element('ListBucketResult', {
    Name: bucket,
    Prefix: wanted.prefix,
    KeyCount: objects.length,
    MaxKeys: wanted.keysMax,
    // A full page has a next one, which may be empty.
    IsTruncated: isFull,
    ...(isFull && { NextContinuationToken: tokenOf(objects.at(-1)!.key) }),
    Contents: objects.map(({ key, etag, bytes, modifiedAt }) => ({
      Key: key,
      LastModified: modifiedAt.toISOString(),
      ETag: etag,
      Size: bytes,
      StorageClass: 'STANDARD',
    })),
  })
}

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  isArray: (name) => name === 'Object',
})
const deletionSchema = z.strictObject({
  Delete: z.strictObject({
    Object: z.array(z.strictObject({ Key: z.string(), '#text': blank() })).max(deletedMax),
    Quiet: z.string().optional(),
    '#text': blank(),
  }),
})

/** Text between the elements. */
function blank() {
  return z.string().regex(/^\s*$/).optional()
}

/** Reads the keys of a request to delete several objects. Throws S3Error unless its body is intact and complete. */
async function readKeys(request: IncomingMessage, digests: readonly Digest[]): Promise<string[]> {
  const body = (await readBody(request, digests)).replace(/^<\?xml[^>]*\?>/, '')
  // Neither declarations nor comments nor CDATA sections are needed to name keys.
  if (body.includes('<!') || body.includes('<?')) throw malformed()
  try {
    const { Delete } = deletionSchema.parse(parser.parse(body, true))
    return Delete.Object.map(({ Key }) => unescapeXml(Key))
  } catch {
    throw malformed()
  }
}

async function readBody(request: IncomingMessage, digests: readonly Digest[]): Promise<string> {
  const given = startDigests(digests)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > deletionBytesMax) throw tooLarge(deletionBytesMax)
    given.update(chunk)
    chunks.push(chunk)
  }
  given.check()
  return Buffer.concat(chunks).toString()
}

/** Deletes the keys that objects can have, and answers with the others. */
async function deleteSeveral(files: ObjectFiles, keys: readonly string[]): Promise<string> {
  const refused = keys.flatMap((key) => {
    const code = whyNotKey(key)
    return code === undefined ? [] : [{ Key: key, Code: code }]
  })
  await files.delete(keys.filter((key) => whyNotKey(key) === undefined))
  return element('DeleteResult', { Error: refused })
}

function whyNotKey(key: string): S3ErrorCode | undefined {
  try {
    toKey(key.split('/'))
  } catch (error) {
    return (error as S3Error).code
  }
}

function malformed(): S3Error {
  return new S3Error('MalformedXML', 'The body does not name the objects to delete')
}
