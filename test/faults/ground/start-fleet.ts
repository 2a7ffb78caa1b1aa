import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CuttingGateway,
  startCuttingGateway,
} from '../../stack/provider-loop/cutting-gateway.ts'
import { startSimulator } from '../../stack/provider-loop/start-simulator.ts'
import type { Credential } from '../../stack/start-despatch.ts'
import type { Ground, Links } from './open-ground.ts'
import { type SupervisedService, supervise } from './supervise.ts'

/** A supervised service with its own connections. */
export type Member = SupervisedService & { links: Links }

/** Every process of Despatch that a run needs, and the factory. */
export type Fleet = {
  intake: Member
  /** The current address at which clients reach intake. */
  intakeUrl(): string
  pipelines: readonly Member[]
  deliverers: readonly Member[]
  /** Absent: letters are not printed. */
  printing?: Printing
  members: readonly Member[]
}

export type Printing = {
  /** The services that the factory calls. */
  members: readonly Member[]
  gateway: CuttingGateway
  credential: Credential
  factory: {
    directory: string
    /** Kills the factory and starts it again after a moment, or after `meanwhile` has settled. */
    kill(meanwhile?: () => Promise<void>): Promise<void>
  }
}

export type FleetPlan = {
  /** Whether each service that clients call runs twice behind a load balancer. Default: it runs once. */
  isBalanced?: boolean
  /** The source tree from which services start the first time. Default: this tree. */
  firstTree?: string | undefined
  pipelines: number
  deliverers: number
  /** The provider that prints. Absent: letters are not printed. */
  provider?: Credential
  /** Settings of all services, in addition to the addresses of the dependencies. */
  settings: Record<string, string>
  memberSettings?: (name: string, start: number) => Record<string, string>
  factoryFloor?: object
}

type Given = {
  ground: Ground
  parts: AsyncDisposableStack
  /** The directory of the logs. */
  records: string
  tell(line: string): void
}

/** Starts the services, each with its own links. They stop when `parts` is disposed of. */
export async function startFleet(plan: FleetPlan, given: Given): Promise<Fleet> {
  const { provider } = plan
  // Start only a few at a time: on a busy machine, none of them would start in time if all started at once.
  const inTurn = createLimit(startsAtOnce)
  const start: Start = (service, name, onStart) =>
    inTurn(() => startMember({ service, name, onStart }, plan, given))
  const numbered = (name: string, count: number) =>
    allSettled(Array.from({ length: count }, (_, index) => start(name, `${name}-${index + 1}`)))
  const gateway = given.parts.use(await startCuttingGateway())
  const doors: Doors = { gateway, start, parts: given.parts, isBalanced: plan.isBalanced === true }
  const [intakes, pipelines, deliverers, printing] = await allSettled([
    startBehind(doors, '/print-request', 'print-request'),
    numbered('pipeline', plan.pipelines),
    numbered('callbacks', plan.deliverers),
    provider && startPrinting(provider, { plan, given, doors }),
  ])
  const intake = intakes[0]!
  return {
    intake,
    intakeUrl: () => (plan.isBalanced ? gateway.url : intake.url()),
    pipelines,
    deliverers,
    members: [...intakes, ...pipelines, ...deliverers, ...(printing?.members ?? [])],
    ...(printing && { printing }),
  }
}

const startsAtOnce = 2

/** Like `Promise.all`, but rejects only after all have settled: a service that starts later would never be stopped. */
async function allSettled<const Starts extends readonly unknown[]>(starts: Starts) {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}

type Start = (service: string, name?: string, onStart?: (url: string) => void) => Promise<Member>
type Wanted = {
  service: string
  name: string | undefined
  onStart: ((url: string) => void) | undefined
}

/** Runs at most `most` pieces of work at a time. The others wait. */
function createLimit(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const lanes = Array.from({ length: most }, () => Promise.resolve())
  let next = 0
  return (work) => {
    const lane = next++ % most
    const done = lanes[lane]!.then(work)
    lanes[lane] = done.then(
      () => {},
      () => {},
    )
    return done
  }
}

async function startMember(
  { service, name = service, onStart }: Wanted,
  { settings, memberSettings, firstTree }: FleetPlan,
  { ground, parts, records, tell }: Given,
): Promise<Member> {
  const { links, environment } = await ground.link()
  const member = await supervise(service, {
    environment: (start) => ({
      ...environment,
      ...settings,
      ...memberSettings?.(name, start),
      DATABASE_URL: named(environment.DATABASE_URL, `${name}.${start}`),
    }),
    tree: (start) => (start === 1 ? firstTree : undefined),
    logDirectory: records,
    logName: name,
    ...(onStart && { onStart }),
    tell,
  })
  parts.use(member)
  return { ...member, links }
}

/** Each start of a process has its own application_name, which the recorder of changes notes. */
function named(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return url.href
}

/** What is needed to start services behind the gateway. */
type Doors = {
  gateway: CuttingGateway
  start: Start
  parts: AsyncDisposableStack
  isBalanced: boolean
}

/** Starts the service that answers under a prefix: one process, or two behind the load balancer. */
async function startBehind(
  { gateway, start, parts, isBalanced }: Doors,
  prefix: string,
  service: string,
  name = service,
): Promise<readonly Member[]> {
  if (!isBalanced) {
    return [await start(service, name, (url) => gateway.route(prefix, [url]))]
  }
  const members = await allSettled([start(service, `${name}-1`), start(service, `${name}-2`)])
  const stopping = new AbortController()
  const balancing = balance(gateway, { prefix, members, signal: stopping.signal })
  parts.defer(async () => {
    stopping.abort()
    await balancing
  })
  return members
}

const probeEveryMs = 100
const probeDeadlineMs = 5_000

/**
 * Routes a prefix to the members that report ready, as a load balancer does. Each member is probed independently. One that is
 * too busy to answer a probe keeps its place.
 */
async function balance(
  gateway: CuttingGateway,
  given: { prefix: string; members: readonly Member[]; signal: AbortSignal },
): Promise<void> {
  const { prefix, members, signal } = given
  const ready = new Map<Member, string>()
  const look = async (member: Member) => {
    while (!signal.aborted) {
      const url = member.url()
      const isReady = await probe(url, signal)
      if (isReady === true) ready.set(member, url)
      if (isReady === false) ready.delete(member)
      gateway.route(prefix, [...ready.values()])
      await pause(probeEveryMs, undefined, { signal }).catch(() => {})
    }
  }
  await Promise.all(members.map(look))
}

/** Undefined: no answer came in time. */
async function probe(url: string, signal: AbortSignal): Promise<boolean | undefined> {
  const outOfTime = AbortSignal.timeout(probeDeadlineMs)
  try {
    const answer = await fetch(`${url}/health/ready`, {
      signal: AbortSignal.any([signal, outOfTime]),
    })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return outOfTime.aborted || signal.aborted ? undefined : false
  }
}

async function startPrinting(
  credential: Credential,
  { plan, given, doors }: { plan: FleetPlan; given: Given; doors: Doors },
): Promise<Printing> {
  const { ground, parts } = given
  const { gateway } = doors
  const [fulfilments, accesses] = await allSettled([
    startBehind(doors, '/print-fulfilment', 'fulfilment'),
    startBehind(doors, '/thirdparty-access', 'thirdparty-access', 'access'),
  ])
  const directory = join(ground.directory, 'factory')
  const start = () =>
    startSimulator({
      baseUrl: gateway.url,
      credential,
      directory,
      floor: plan.factoryFloor ?? {},
    })
  let factory = start()
  let isOver = false
  parts.defer(async () => {
    isOver = true
    await factory.kill('SIGKILL')
  })
  const kill = async (meanwhile = () => pause(restartAfterMs)) => {
    await factory.kill('SIGKILL')
    await meanwhile()
    if (!isOver) factory = start()
  }
  const members = [...fulfilments, ...accesses]
  return { members, gateway, credential, factory: { directory, kill } }
}

const restartAfterMs = 500
