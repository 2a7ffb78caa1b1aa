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

/** A supervised service with connections of its own. */
export type Member = SupervisedService & { links: Links }

/** Every process of Despatch that a run needs, and the factory. */
export type Fleet = {
  intake: Member
  pipelines: readonly Member[]
  deliverers: readonly Member[]
  /** Absent: letters are not printed. */
  printing?: Printing
  members: readonly Member[]
}

export type Printing = {
  fulfilment: Member
  gateway: CuttingGateway
  credential: Credential
  factory: {
    directory: string
    /** Kills it and starts it again: after a moment, or when what is done meanwhile is over. */
    kill(meanwhile?: () => Promise<void>): Promise<void>
  }
}

export type FleetPlan = {
  pipelines: number
  deliverers: number
  /** Who prints, when letters are to be printed. */
  provider?: Credential
  /** Settings of all services, beside where they find what they need. */
  settings: Record<string, string>
  memberSettings?: (name: string, start: number) => Record<string, string>
  /** Of the factory. */
  factorySettings?: Record<string, string>
}

type Given = {
  ground: Ground
  parts: AsyncDisposableStack
  /** Where the logs go. */
  records: string
  tell(line: string): void
}

/** Starts them, each with its own links; they end with the parts. */
export async function startFleet(plan: FleetPlan, given: Given): Promise<Fleet> {
  const { provider } = plan
  // A few at a time: a busy machine that starts all at once starts none in time.
  const inTurn = createLimit(startsAtOnce)
  const start: Start = (service, name, onStart) =>
    inTurn(() => startMember({ service, name, onStart }, plan, given))
  const numbered = (name: string, count: number) =>
    allSettled(Array.from({ length: count }, (_, index) => start(name, `${name}-${index + 1}`)))
  const [intake, pipelines, deliverers, printing] = await allSettled([
    start('print-request'),
    numbered('pipeline', plan.pipelines),
    numbered('callbacks', plan.deliverers),
    provider && startPrinting(provider, { plan, given, start }),
  ])
  const members = [intake, ...pipelines, ...deliverers, ...(printing ? [printing.fulfilment] : [])]
  return { intake, pipelines, deliverers, members, ...(printing && { printing }) }
}

const startsAtOnce = 2

/** As `Promise.all`, but rejects when all have settled: what starts late would end with nothing. */
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

/** Lets so many pieces of work run at once; the others wait. */
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
  { settings, memberSettings }: FleetPlan,
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
    logDirectory: records,
    logName: name,
    ...(onStart && { onStart }),
    tell,
  })
  parts.use(member)
  return { ...member, links }
}

/** Each start of a process has a name of its own, which the recorder of changes notes. */
function named(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return url.href
}

async function startPrinting(
  credential: Credential,
  { plan, given, start: startOne }: { plan: FleetPlan; given: Given; start: Start },
): Promise<Printing> {
  const { ground, parts } = given
  const gateway = parts.use(await startCuttingGateway())
  const route = (prefix: string) => (url: string) => gateway.route(prefix, [url])
  const [fulfilment] = await allSettled([
    startOne('fulfilment', 'fulfilment', route('/print-fulfilment')),
    startOne('thirdparty-access', 'access', route('/thirdparty-access')),
  ])
  const directory = join(ground.directory, 'factory')
  const start = () =>
    startSimulator({
      baseUrl: gateway.url,
      credential,
      directory,
      settings: plan.factorySettings ?? {},
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
  return { fulfilment, gateway, credential, factory: { directory, kill } }
}

const restartAfterMs = 500
