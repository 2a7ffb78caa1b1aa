import { type LookupAddress, lookup, promises } from 'node:dns'
import { readFileSync } from 'node:fs'
import { createLimit } from './limit.ts'

/** Returns every address of a name. Rejects with `NotResolved`. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** Thrown if the name has no address, or our own resolver could not answer. `isFaultOfOurs` distinguishes the two. */
export class NotResolved extends Error {
  override readonly name = 'NotResolved'
  readonly isFaultOfOurs: boolean
  /** The resolver's error code, such as ENOTFOUND. */
  readonly code: string

  constructor(code: string) {
    super('the name was not resolved')
    this.code = code
    this.isFaultOfOurs = !namesFault.includes(code)
  }
}

export type ResolveOptions = {
  /**
   * Also asks the machine's resolver if public DNS does not know a name, for names that only a search list completes.
   */
  searchesToo: boolean
  /** Name servers with their ports. Default: the name servers of the machine. */
  servers?: readonly string[]
  /** Asks the machine's own resolver, which blocks one of a few threads during the lookup. */
  askMachine?: Resolve
  deadlineMs?: number
}

/** Codes that mean the name itself is wrong: it does not exist, has no address, or is not a valid name. */
const namesFault = ['ENOTFOUND', 'ENODATA', 'EBADNAME']
const deadlineMsDefault = 3_000
const queryTimeoutMs = 1_000
const queryTries = 2
// More slow lookups would occupy the threads that files and ciphers need.
const machineLookups = { callsMax: 2, waitingMax: 100 }
const hostsFile = '/etc/hosts'

/**
 * Returns a resolver that does not block other work. It queries DNS over its own sockets, A and AAAA at once. Names
 * that the machine itself defines go to the machine's resolver, a few at a time. It always answers by its deadline, 3
 * seconds by default. It caches nothing: only callers that ask for a name at the same time share an answer.
 */
export function createResolve(options: ResolveOptions): Resolve {
  const { searchesToo, servers, deadlineMs = deadlineMsDefault } = options
  const resolver = new promises.Resolver({ timeout: queryTimeoutMs, tries: queryTries })
  if (servers) resolver.setServers(servers)
  const askMachine = createLimit(machineLookups, options.askMachine ?? askSystem)
  const ownNames = readHosts()
  const lookups = new Map<string, Promise<LookupAddress[]>>()

  async function find(hostname: string): Promise<LookupAddress[]> {
    const deadline = AbortSignal.timeout(deadlineMs)
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (ownNames.has(name) || !name.includes('.')) return withinDeadline(askMachine(name), deadline)
    try {
      return await askDns(resolver, name, deadline)
    } catch (error) {
      if (!searchesToo || (error instanceof NotResolved && error.isFaultOfOurs)) throw error
      return withinDeadline(askMachine(name), deadline)
    }
  }

  return (hostname) => {
    const underWay = lookups.get(hostname)
    if (underWay !== undefined) return underWay
    const finding = find(hostname).finally(() => lookups.delete(hostname))
    lookups.set(hostname, finding)
    return finding
  }
}

async function askDns(
  resolver: promises.Resolver,
  name: string,
  deadline: AbortSignal,
): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([
    withinDeadline(resolver.resolve4(name), deadline),
    withinDeadline(resolver.resolve6(name), deadline),
  ])
  const [v4, v6] = answers
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ]
  if (addresses.length > 0) return addresses
  const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : ''))
  // Unless both queries were answered, it is unknown whether the name has an address.
  throw new NotResolved(codes.find((code) => !namesFault.includes(code)) ?? codes[0] ?? 'ENODATA')
}

/** If several name servers are down, a query may outlive its tries. */
function withinDeadline<T>(answer: Promise<T>, deadline: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const end = () => reject(new NotResolved('ETIMEOUT'))
  deadline.addEventListener('abort', end, { once: true })
  answer.then(resolve, (error) => reject(new NotResolved(codeOf(error))))
  return promise.finally(() => deadline.removeEventListener('abort', end))
}

function askSystem(name: string): Promise<LookupAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>()
  lookup(name, { all: true }, (error, addresses) => {
    if (error) reject(error)
    else resolve(addresses)
  })
  return promise
}

function readHosts(): ReadonlySet<string> {
  try {
    const lines = readFileSync(hostsFile, 'utf8').toLowerCase().split('\n')
    return new Set(lines.flatMap((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1)))
  } catch {
    return new Set()
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? 'unknown')
}
