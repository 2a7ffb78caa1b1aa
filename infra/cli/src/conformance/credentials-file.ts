import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { wrongUsage } from '../failure.ts'

/** The credentials of the provider's client. The kit accepts exactly these. */
export type ConformanceCredentials = { userName: string; password: string; apiKey: string }

const members = ['userName', 'password', 'apiKey'] as const

/**
 * Returns the credentials that the kit accepts. Creates a missing file with new ones, readable by its owner only.
 * Throws a Failure unless the file contains all of them as text.
 */
export async function takeCredentials(
  path: string,
): Promise<{ credentials: ConformanceCredentials; isFresh: boolean }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw wrongUsage(`${path} cannot be read (${error.code})`)
  })
  if (text !== undefined) return { credentials: parse(text, path), isFresh: false }
  const credentials = {
    userName: 'conformance',
    password: randomBytes(18).toString('base64url'),
    apiKey: randomBytes(32).toString('base64url'),
  }
  await writeFile(path, `${JSON.stringify(credentials, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  }).catch((error: NodeJS.ErrnoException) => {
    throw wrongUsage(`${path} cannot be written (${error.code})`)
  })
  return { credentials, isFresh: true }
}

function parse(text: string, path: string): ConformanceCredentials {
  const given = parseJson(text)
  const [userName, password, apiKey] = members.map((member) => given?.[member])
  if (!isText(userName) || !isText(password) || !isText(apiKey)) {
    throw wrongUsage(`${path} must be a JSON object with the strings ${members.join(', ')}`)
  }
  return { userName, password, apiKey }
}

function parseJson(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
