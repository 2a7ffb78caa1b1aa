import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import { dataDirectory } from '../settings.ts'

/** Your receiver of callbacks on this machine. `listen` and `trigger` sign with its secret. */
export type Receiver = { to: string; secret: string }

/**
 * Returns the receiver at `to`, by default the one of the last call, and keeps it in the data directory. Its secret is
 * generated once. Throws a Failure if the address is missing or cannot be used.
 */
export async function readReceiver(
  to: string | undefined,
  { environment, root }: Pick<CommandContext, 'environment' | 'root'>,
): Promise<Receiver> {
  const path = join(dataDirectory(environment, root), 'listen.json')
  const kept = await readKept(path)
  const address = to ?? kept?.to
  if (address === undefined) throw wrongUsage('give the address of your receiver with --to')
  const secret = kept?.secret ?? `whsec_${randomBytes(32).toString('base64')}`
  const receiver = { to: parseTarget(address), secret }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify(receiver), { mode: 0o600 })
  return receiver
}

/** Returns the key of a secret, as signatures need it. */
export function keyOfSecret(secret: string) {
  return createSecretKey(secret.replace(/^whsec_/, ''), 'base64')
}

async function readKept(path: string): Promise<Receiver | undefined> {
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
