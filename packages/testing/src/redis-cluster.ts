import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '@despatch/embedded/free-port'
import { eventually } from './eventually.ts'
import { askRedisCli, type Redis, type RedisServerOptions, startRedis } from './redis.ts'
import { scratchFolder } from './scratch-folder.ts'

type RedisCluster = {
  /** The address of one node, which says that it is of a cluster. */
  url: string
  nodes: readonly Redis[]
  stop(): Promise<void>
}

const slots = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
] as const
/** A node that is stopped for a moment does not count as failed. */
const nodeTimeoutMs = 15_000

/** Starts a Redis Cluster of three nodes without replicas. Returns undefined if this machine has no redis-server. */
export async function startRedisCluster({
  tls,
}: Pick<RedisServerOptions, 'tls'> = {}): Promise<RedisCluster | undefined> {
  await using parts = new AsyncDisposableStack()
  const directory = await mkdtemp(join(scratchFolder(), 'despatch-redis-cluster-'))
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  const nodes: Redis[] = []
  const busPorts: number[] = []
  for (const index of slots.keys()) {
    const busPort = await findFreePort()
    const node = await startRedis({
      ...(tls && { tls }),
      settings: [
        'cluster-enabled yes',
        `cluster-config-file ${directory}/${index}.conf`,
        `cluster-port ${busPort}`,
        `cluster-node-timeout ${nodeTimeoutMs}`,
        ...(tls
          ? [
              'tls-cluster yes',
              'cluster-announce-hostname localhost',
              'cluster-preferred-endpoint-type hostname',
            ]
          : []),
      ],
    })
    if (!node) return undefined
    nodes.push(parts.adopt(node, (started) => started.stop()))
    busPorts.push(busPort)
  }
  for (const [index, { url }] of nodes.entries()) {
    const [first, last] = slots[index]!
    await askRedisCli(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
    await askRedisCli(url, 'CLUSTER', 'ADDSLOTSRANGE', String(first), String(last))
    const { port } = new URL(url)
    await askRedisCli(nodes[0]!.url, 'CLUSTER', 'MEET', '127.0.0.1', port, String(busPorts[index]))
  }
  for (const { url } of nodes) {
    await eventually(() => knowsTheOthers(url), { message: 'each node knows the others' })
  }
  const started = parts.move()
  const url = new URL(nodes[0]!.url)
  url.searchParams.set('cluster', 'true')
  return { url: url.href, nodes, stop: () => started.disposeAsync() }
}

async function knowsTheOthers(url: string): Promise<boolean> {
  const info = await askRedisCli(url, 'CLUSTER', 'INFO')
  return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${slots.length}`)
}
