import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { onFreePort } from './on-free-port.ts'
import {
  addressOf,
  askRedisCli,
  listening,
  type Redis,
  type RedisServerOptions,
  runRedisServer,
  startRedis,
} from './redis.ts'
import { scratchFolder } from './scratch-folder.ts'

type WatchedRedis = {
  /** The addresses of the sentinels, with the group that they watch and the passwords. */
  url: string
  /** The master that it started with, its replica, and the sentinels. */
  master: Redis
  replica: Redis
  sentinels: readonly Redis[]
  /** Makes the replica the master, and the master a replica. Ends when the sentinels name the new master. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

const group = 'letters'
const password = 'of-the-servers'
const sentinelPassword = 'of-the-sentinels'

/**
 * Starts a Redis with a replica, and sentinels that watch them; servers and sentinels have different passwords. Returns
 * undefined if this machine has no redis-server.
 */
export async function startWatchedRedis({
  tls,
  sentinels: count = 1,
}: Pick<RedisServerOptions, 'tls'> & { sentinels?: number } = {}): Promise<
  WatchedRedis | undefined
> {
  await using parts = new AsyncDisposableStack()
  const directory = await mkdtemp(join(scratchFolder(), 'despatch-sentinel-'))
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  const hostname = tls ? 'localhost' : '127.0.0.1'
  const shared = [
    `dir ${directory}`,
    `requirepass ${password}`,
    `masterauth ${password}`,
    `replica-announce-ip ${hostname}`,
    'repl-diskless-sync-delay 0',
    'repl-diskless-load swapdb',
    ...(tls ? ['tls-replication yes'] : []),
  ]
  const master = await startRedis({ ...(tls && { tls }), settings: shared })
  if (!master) return undefined
  parts.defer(() => master.stop())
  const replicaOf = `replicaof ${hostname} ${portOf(master)}`
  const replica = (await startRedis({ ...(tls && { tls }), settings: [...shared, replicaOf] }))!
  parts.defer(() => replica.stop())
  const sentinels: Redis[] = []
  for (let index = 0; index < count; index++) {
    const sentinel = await onFreePort(async (port) => {
      const file = join(directory, `sentinel-${port}.conf`)
      const settings = [
        ...listening(port, tls),
        ...(tls ? ['tls-replication yes'] : []),
        `dir ${directory}`,
        `requirepass ${sentinelPassword}`,
        `sentinel sentinel-pass ${sentinelPassword}`,
        'sentinel resolve-hostnames yes',
        'sentinel announce-hostnames yes',
        `sentinel announce-ip ${hostname}`,
        `sentinel monitor ${group} ${hostname} ${portOf(master)} ${count}`,
        `sentinel auth-pass ${group} ${password}`,
      ]
      await writeFile(file, settings.join('\n'))
      return runRedisServer([file, '--sentinel'], addressOf(port, tls))
    })
    sentinels.push(parts.adopt(sentinel!, (started) => started.stop()))
  }
  const ask = (sentinel: Redis, ...command: string[]) => askRedisCli(of(sentinel), ...command)
  const of = ({ url }: Redis) => url.replace('://', `://:${sentinelPassword}@`)
  for (const sentinel of sentinels) {
    await eventually(
      async () =>
        /\bmaster-link-status\s+ok\b/.test(await ask(sentinel, 'SENTINEL', 'REPLICAS', group)),
      { message: 'each sentinel knows the replica' },
    )
  }
  const named = (sentinel: Redis) => ask(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group)
  const started = parts.move()
  return {
    url: addressOfAll(sentinels),
    master,
    replica,
    sentinels,
    async failOver() {
      const former = await named(sentinels[0]!)
      await ask(sentinels[0]!, 'SENTINEL', 'FAILOVER', group)
      for (const sentinel of sentinels) {
        await eventually(async () => (await named(sentinel)) !== former, {
          message: 'each sentinel names the new master',
        })
      }
    },
    stop: () => started.disposeAsync(),
  }
}

function portOf({ url }: Redis): string {
  return new URL(url).port
}

function addressOfAll(sentinels: readonly Redis[]): string {
  const { protocol, search } = new URL(sentinels[0]!.url)
  const hosts = sentinels.map(({ url }) => new URL(url).host).join(',')
  const parameters = new URLSearchParams(search)
  parameters.set('sentinel', group)
  parameters.set('sentinel_password', sentinelPassword)
  return `${protocol}//:${password}@${hosts}?${parameters}`
}
