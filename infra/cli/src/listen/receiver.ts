import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import { dataDirectory } from '../settings.ts'

/** Your receiver of callbacks on this machine. `listen` and `trigger` sign with its secret. */
export type Receiver = { to: string; secret: string }

/** Without an address: no call has used a receiver yet. */
type Kept = { to?: string; secret: string }

type Place = Pick<CommandContext, 'environment' | 'root'>

/**
 * Returns the receiver at `to`, by default the one that was kept last. Its secret is generated once and kept in the data
 * directory. Throws a Failure if the address is missing or cannot be used.
 */
export async function readReceiver(to: string | undefined, place: Place): Promise<Receiver> {
  const path = pathOf(place)
  const kept = await readKept(path)
  const address = to ?? kept?.to
  if (address === undefined) throw wrongUsage('give the address of your receiver with --to')
  const target = parseTarget(address)
  return { to: target, secret: kept?.secret ?? (await keepSecret(path)) }
}

/** Makes the receiver the default of later calls. Call it once the receiver was of use. */
export async function keepReceiver(receiver: Receiver, place: Place): Promise<void> {
  const path = pathOf(place)
  await rename(await writeNew(path, receiver), path)
}

function pathOf({ environment, root }: Place): string {
  return join(dataDirectory(environment, root), 'listen.json')
}

/** Keeps a new secret, and returns it. Returns the one of another call that was first. */
async function keepSecret(path: string): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await mkdir(dirname(path), { recursive: true })
  const written = await writeNew(path, { secret })
  try {
    await link(written, path)
    return secret
  } catch (error) {
    const first = await readKept(path)
    if (!first) throw error
    return first.secret
  } finally {
    await unlink(written)
  }
}

/** Writes a file beside `path`, for its owner only, so that no reader finds half of it. Returns its path. */
async function writeNew(path: string, kept: Kept): Promise<string> {
  const written = `${path}.${randomUUID()}`
  await writeFile(written, JSON.stringify(kept), { mode: 0o600 })
  return written
}

/** Returns the key of a secret, as signatures need it. */
export function keyOfSecret(secret: string) {
  return createSecretKey(secret.replace(/^whsec_/, ''), 'base64')
}

async function readKept(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw wrongUsage(`${path} cannot be read (${code ?? 'not JSON'})`)
  }
}

function parseTarget(to: string): string {
  const url = URL.parse(to)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw wrongUsage('--to must be an http or https address without a user name or password')
  }
  return url.href
}
