import { randomBytes } from 'node:crypto'
import { documentNotFound, printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import type { ConformanceCredentials } from '../credentials.ts'
import { sha256 } from '../fingerprint.ts'
import { findDocument, type PlatformDocument, type PlatformRun } from './platform-run.ts'
import type { PlatformPosting } from './postings.ts'

/** The whole state of the kit. */
export type Platform = {
  /** Base of the links to files. */
  baseUrl: string
  credentials: ConformanceCredentials
  now(): Date
  runs: Map<string, PlatformRun>
  postings: Map<string, PlatformPosting>
  /** Valid tokens, and tokens that a script has expired. */
  tokens: Set<string>
  expiredTokens: Set<string>
  /** Links to files, by their secret part. */
  links: Map<string, { batchNumber: string; documentId: string; until: Date }>
}

export const linkPrefix = '/presigned/'
const linkSeconds = 300
const tokenSeconds = 3_600

export function createPlatform(
  baseUrl: string,
  credentials: ConformanceCredentials,
  now: () => Date = () => new Date(),
): Platform {
  return {
    baseUrl,
    credentials,
    now,
    runs: new Map(),
    postings: new Map(),
    tokens: new Set(),
    expiredTokens: new Set(),
    links: new Map(),
  }
}

/** Returns a token in the form of a JWT. Its signature is random, because the kit remembers its tokens. */
export function issueToken({ tokens, now }: Platform): string {
  const issuedAt = Math.floor(now().getTime() / 1_000)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = [
    part({ alg: 'RS256', typ: 'JWT' }),
    part({ sub: 'conformance', iat: issuedAt, exp: issuedAt + tokenSeconds }),
    randomBytes(32).toString('base64url'),
  ].join('.')
  tokens.add(token)
  return token
}

/** Expires every token issued so far. */
export function expireTokens({ tokens, expiredTokens }: Platform): void {
  for (const token of tokens) expiredTokens.add(token)
  tokens.clear()
}

/** Makes the tokens valid again that a script expired, so that the next case begins normally. */
export function renewTokens({ tokens, expiredTokens }: Platform): void {
  for (const token of expiredTokens) tokens.add(token)
  expiredTokens.clear()
}

/** Returns the caller or throws a Problem. The word Bearer is optional. */
export function authenticateCaller(
  { tokens, credentials }: Platform,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Caller {
  const token = String(headers.authorization ?? '').replace(/^Bearer\s+/i, '')
  if (!tokens.has(token) || headers['x-api-key'] !== credentials.apiKey) {
    throw new Problem('not-authenticated', 'API key or JWT not provided, expired or invalid')
  }
  return {
    consumerId: 'conformance',
    apiKeyHash: Buffer.from(sha256(credentials.apiKey), 'hex'),
    roles: ['provider'],
    providerId: 'conformance',
  }
}

/** Throws a Problem if there is no such run. */
export function getRun({ runs }: Platform, batchNumber: string): PlatformRun {
  const run = runs.get(batchNumber)
  if (!run) throw printRunNotFound(batchNumber)
  return run
}

/** Throws a Problem unless the run has been claimed. */
export function getClaimedRun(platform: Platform, batchNumber: string): PlatformRun {
  const run = getRun(platform, batchNumber)
  if (!run.claimedAt) throw printRunNotFound(batchNumber)
  return run
}

/** Throws a Problem unless the run is claimed and has the document. */
export function getDocument(
  platform: Platform,
  { batchNumber, documentId }: { batchNumber: string; documentId: string },
): PlatformDocument {
  const run = platform.runs.get(batchNumber)
  const document = run?.claimedAt && findDocument(run, documentId)
  if (!document) throw documentNotFound(documentId, batchNumber)
  return document
}

/** Returns a new link to the file, which requires no credentials. */
export function linkTo(
  platform: Platform,
  { batchNumber, documentId }: { batchNumber: string; documentId: string },
): string {
  const secret = randomBytes(18).toString('base64url')
  const until = new Date(platform.now().getTime() + linkSeconds * 1_000)
  platform.links.set(secret, { batchNumber, documentId, until })
  return `${platform.baseUrl}${linkPrefix}${secret}/${documentId}.pdf`
}
