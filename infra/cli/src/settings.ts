import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readSetting } from '@despatch/config/secret-settings'
import { ask, type Question } from './ask.ts'
import type { CommandContext } from './command-context.ts'
import { wrongUsage } from './failure.ts'
import type { CredentialOrigin } from './stale-credential.ts'

export type Credential = { userName: string; password: string; apiKey: string }
export type Settings = {
  baseUrl: string
  opsUrl: string
  credential: Credential
  /** Undefined if a user typed it. */
  origin?: CredentialOrigin | undefined
}
export type AddressOptions = {
  baseUrl?: string
  opsUrl?: string
  /** Permits http to other machines. */
  insecureHttp?: boolean | undefined
}

/** The role in which a command acts. Each has its own credentials in credentials.json. */
export type ActingRole = 'operator' | 'consumer'

type Kept = { baseUrl?: string; opsUrl?: string } & { [role in ActingRole]?: Credential }

const questions = {
  baseUrl: { message: 'Base address', instead: '--base-url' },
  opsUrl: { message: 'Operations address', instead: '--ops-url' },
  operator: { message: 'User name of an operator', instead: 'DESPATCH_USER_NAME' },
  consumer: { message: 'User name of a consumer', instead: 'DESPATCH_USER_NAME' },
  password: { message: 'Password', instead: 'DESPATCH_PASSWORD', isSecret: true },
  apiKey: { message: 'API key', instead: 'DESPATCH_API_KEY', isSecret: true },
} satisfies Record<string, Question>

/**
 * Returns the addresses and the credentials: from options and environment, then from credentials.json in the data
 * directory, then by asking the user at the terminal. Throws a Failure that says what is missing.
 */
export async function readSettings(
  options: AddressOptions,
  context: CommandContext,
): Promise<Settings> {
  const { kept, orAsk, ...settings } = await readSomebody(options, context, 'operator')
  const given = await orAsk(options.opsUrl ?? kept?.opsUrl, 'opsUrl')
  const opsUrl = parseAddress(given, '--ops-url', options)
  return { ...settings, opsUrl }
}

/** Returns the consumers' address and a consumer's credentials in the same way. */
export async function readConsumerSettings(
  options: AddressOptions,
  context: CommandContext,
): Promise<Omit<Settings, 'opsUrl'>> {
  const { kept: _, orAsk: __, ...settings } = await readSomebody(options, context, 'consumer')
  return settings
}

/** Returns the settings that are known without asking. For inspection only, not to act on. */
export async function readKnownSettings(
  options: AddressOptions,
  { environment, root }: Pick<CommandContext, 'environment' | 'root'>,
): Promise<KnownSettings> {
  const kept = await readKept(keptPath(environment, root))
  const credentialOf = (role: ActingRole) => keptCredential(kept, options, role)
  return {
    baseUrl: options.baseUrl ?? kept?.baseUrl,
    opsUrl: options.opsUrl ?? kept?.opsUrl,
    insecureHttp: options.insecureHttp,
    given: givenCredential(environment),
    operator: credentialOf('operator'),
    consumer: credentialOf('consumer'),
  }
}

export type KnownSettings = {
  baseUrl: string | undefined
  opsUrl: string | undefined
  insecureHttp?: boolean | undefined
  /** Credentials in the environment. They override the stored ones. */
  given: Partial<Credential> | undefined
} & { [role in ActingRole]: Credential | undefined }

/** Returns the folder of this installation's data, where `credentials.json` is. */
export function dataDirectory(environment: CommandContext['environment'], root: string): string {
  return resolve(root, environment.DESPATCH_DATA_DIR || '.despatch')
}

export function keptPath(environment: CommandContext['environment'], root: string): string {
  return join(dataDirectory(environment, root), 'credentials.json')
}

async function readSomebody(options: AddressOptions, context: CommandContext, role: ActingRole) {
  const { environment, root } = context
  const path = keptPath(environment, root)
  const kept = await readKept(path)
  const stated = givenCredential(environment)
  const given = stated ?? keptCredential(kept, options, role)
  if (!kept && !given && !context.canAsk) throw nothingKnown(path)
  const orAsk = async (value: string | undefined, name: keyof typeof questions) =>
    value || ask(context, questions[name])
  const baseUrl = await orAsk(options.baseUrl ?? kept?.baseUrl, 'baseUrl')
  return {
    kept,
    orAsk,
    baseUrl: parseAddress(baseUrl, '--base-url', options),
    credential: {
      userName: await orAsk(given?.userName, role),
      password: await orAsk(given?.password, 'password'),
      apiKey: await orAsk(given?.apiKey, 'apiKey'),
    },
    origin: originOf(stated, given, { path, role }),
  }
}

function originOf(
  stated: object | undefined,
  given: object | undefined,
  stored: { path: string; role: ActingRole },
): CredentialOrigin | undefined {
  if (stated) return { kind: 'environment' }
  return given && { kind: 'file', ...stored }
}

/**
 * Returns undefined unless the environment contains part of a credential. Then the missing parts are not taken from
 * elsewhere. Throws a Failure if a secret is given twice, or its file cannot be read.
 */
export function givenCredential(
  environment: CommandContext['environment'],
): Partial<Credential> | undefined {
  const userName = environment.DESPATCH_USER_NAME
  const password = readSecret('DESPATCH_PASSWORD', environment)
  const apiKey = readSecret('DESPATCH_API_KEY', environment)
  if (!userName && !password && !apiKey) return undefined
  return { ...(userName && { userName }), ...(password && { password }), ...(apiKey && { apiKey }) }
}

function readSecret(name: string, environment: CommandContext['environment']): string | undefined {
  try {
    return readSetting(name, environment)
  } catch (error) {
    throw wrongUsage(`${name} ${(error as Error).message}`)
  }
}

/**
 * Returns the stored credential if the addresses are the stored ones or on this machine. It must not be sent anywhere
 * else.
 */
export function keptCredential(
  kept: Kept | undefined,
  { baseUrl, opsUrl }: AddressOptions,
  role: ActingRole = 'operator',
): Credential | undefined {
  const isElsewhere = (given: string | undefined, known: string | undefined) =>
    given !== undefined && given !== known && !isThisMachine(given)
  if (isElsewhere(baseUrl, kept?.baseUrl) || isElsewhere(opsUrl, kept?.opsUrl)) return undefined
  return kept?.[role]
}

function isThisMachine(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(address)?.hostname ?? '')
}

export async function readKept(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw wrongUsage(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/**
 * Returns the address without a slash at its end. Throws a Failure if credentials must not be sent there: it is no
 * address of the web, or they would cross a network unencrypted.
 */
export function parseAddress(
  address: string,
  option: string,
  { insecureHttp = false }: AddressOptions,
): string {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage(`${option} must be an http or https address, not ${address}`)
  }
  if (url.protocol === 'http:' && !insecureHttp && !isThisMachine(address)) {
    throw wrongUsage(
      `${option} must be an https address: http would send the credentials unencrypted. --insecure-http permits it`,
    )
  }
  return url.href.replace(/\/+$/, '')
}

function nothingKnown(path: string) {
  return wrongUsage(
    `there is no ${path}. Start Despatch first (npm start), set DESPATCH_DATA_DIR to where its data is, or give ` +
      '--base-url, --ops-url, DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY',
  )
}
