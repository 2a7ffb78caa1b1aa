import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEvictionPolicy } from '@despatch/queue/eviction-policy'
import { openRedis, type RedisNode } from '@despatch/redis/open-redis'
import { parseRedisAddress } from '@despatch/redis/redis-address'
import { SentinelConnector } from '@despatch/redis/sentinel-connector'
import { aCertificate, anAuthority } from '@despatch/testing/certificates'
import { eventually } from '@despatch/testing/eventually'
import { startRedis } from '@despatch/testing/redis'
import { startRedisCluster } from '@despatch/testing/redis-cluster'
import { startWatchedRedis } from '@despatch/testing/redis-sentinel'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aUsageStore, someQueues } from './on-redis.ts'

const certificates = await shared(makeCertificates())
const tls = { ...certificates.server, authority: certificates.authority }
const single = await startRedis({ tls })
const cluster = await startRedisCluster({ tls })
const watched = await startWatchedRedis({ tls })
/** An error event without a listener is thrown. */
const alert = new Error('tlsv1 alert decode error')
const servers = [
  { name: 'one Redis', server: single },
  { name: 'a cluster', server: cluster },
  { name: 'a group of sentinels', server: watched },
].flatMap(({ name, server }) => (server ? [{ name, server }] : []))
for (const { server } of servers) await shared(server)

describe.each(servers)('over TLS, $name', ({ server: { url } }) => {
  test('carries tasks', async () => {
    const { enqueue, untilSeen } = someQueues(url)

    await untilSeen([await enqueue()])

    expect(await readEvictionPolicy(url)).toBe('noeviction')
  })

  test('keeps counts of usage', async () => {
    const store = aUsageStore(url)

    await eventually(async () => (await store.add('one', 0, 60)) !== undefined, {
      message: 'the client is connected',
    })

    expect([await store.add('one', 2, 60), await store.add('one', 3, 60)]).toEqual([2, 5])
    expect([await store.read('one'), await store.read('another')]).toEqual([5, 0])
  })

  test('is refused if its certificate is of another authority, or without an authority', async () => {
    const other = new URL(url)
    other.searchParams.set('cacert', certificates.other)
    const none = new URL(url)
    none.searchParams.delete('cacert')

    for (const address of [other, none]) {
      await expect(readEvictionPolicy(address.href)).rejects.toThrow('cannot be reached')
      expect(await aUsageStore(address.href).read('one')).toBeUndefined()
    }
  })

  test.skipIf(url.includes('sentinel'))(
    'may send an alert after its certificate was refused',
    async () => {
      const address = new URL(url)
      address.searchParams.delete('cacert')
      address.searchParams.delete('cluster')
      const timings = { lazyConnect: true, reconnects: false, maxRetriesPerRequest: 0 }
      const client = openRedis(address.href, timings) as RedisNode
      const errors: Error[] = []
      client.on('error', (error) => void errors.push(error))
      await expect(client.connect()).rejects.toThrow()
      expect(errors).toEqual([expect.objectContaining({ code: 'SELF_SIGNED_CERT_IN_CHAIN' })])

      client.stream.emit('error', alert)
    },
  )
})

describe.skipIf(!watched)('sentinels over TLS', () => {
  test('may send an alert after their certificate was refused', async () => {
    const { sentinel } = parseRedisAddress(watched!.url)
    const connector = new SentinelConnector({
      name: 'any',
      sentinels: [{ host: 'localhost' }],
      sentinelTLS: {},
    })
    const client = connector.connectToSentinel(sentinel!.hosts[0]!)
    const [error] = await once(client, 'error')
    expect(error).toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' })

    client.stream.emit('error', alert)
  })

  test('lead to a server that may send an alert after a failed connection', async () => {
    const client = openRedis(watched!.url, { reconnects: false }) as RedisNode
    onTestFinished(() => client.disconnect())
    await once(client, 'ready')
    const failed = once(client, 'error')

    client.stream.emit('error', new Error('socket hang up'))
    client.stream.emit('error', alert)

    await failed
  })
})

async function makeCertificates() {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-redis-tls-'))
  const authority = await anAuthority(directory, 'authority')
  const other = await anAuthority(directory, 'other')
  return {
    authority: authority.path,
    other: other.path,
    server: await aCertificate(directory, authority),
    close: () => rm(directory, { recursive: true, force: true }),
  }
}
