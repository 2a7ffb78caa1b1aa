import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Credential = { userName: string; password: string; apiKey: string }

/** The data that scripts and the curl lines of the guides need to act as each kind of user. */
export type Credentials = {
  baseUrl: string
  opsUrl: string
  consumer: Credential
  provider: Credential
  operator: Credential
}

export type Users = Pick<Credentials, 'consumer' | 'provider' | 'operator'>

const fileName = 'credentials.json'

export function credentialsPathOf(directory: string): string {
  return join(directory, fileName)
}

/** Returns the users of an earlier start, or undefined on the first. */
export async function readUsers(directory: string): Promise<Users | undefined> {
  try {
    const { consumer, provider, operator } = JSON.parse(
      await readFile(credentialsPathOf(directory), 'utf8'),
    )
    return { consumer, provider, operator }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(
      `${credentialsPathOf(directory)} cannot be read; remove it to have it made again`,
      {
        cause: error,
      },
    )
  }
}

export function makeUsers(): Users {
  return {
    consumer: makeCredential('demo-consumer'),
    provider: makeCredential('demo-provider'),
    operator: makeCredential('demo-operator'),
  }
}

/** Throws if the credentials file cannot be written. */
export async function checkWritable(directory: string): Promise<void> {
  const path = `${credentialsPathOf(directory)}.new`
  await writeFile(path, '', { mode: 0o600 })
  await rm(path)
}

/** Writes the file completely or not at all, readable by its owner only, and returns its path. */
export async function writeCredentials(
  directory: string,
  credentials: Credentials,
): Promise<string> {
  const path = credentialsPathOf(directory)
  const text = `${JSON.stringify(credentials, null, 2)}\n`
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return path
}

/** Makes up a password, whose suffix has the four kinds of characters that are required, and an API key. */
export function makeCredential(userName: string): Credential {
  return {
    userName,
    password: `${randomBytes(18).toString('base64url')}-aA1`,
    apiKey: randomBytes(30).toString('base64url'),
  }
}
